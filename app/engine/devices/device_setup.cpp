#include "app/engine/devices/device_setup.h"

#include <stdexcept>
#include <vector>

namespace wnpu::app {
namespace {

template <typename Names>
[[noreturn]] void refuse_name(std::string_view option, const Names& names,
                              const std::string& found) {
  std::string expected;
  for (const std::string_view name : names) expected += std::string(name) + ", ";
  throw Error(option, ": expected " + expected + "found " + found);
}

template <typename Names>
std::vector<std::string_view> names_or_auto(const Names& names) {
  std::vector<std::string_view> all{kAutoDevice};
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

// The file's calls and precision.
void take_plan_file(const DeviceOptions& options, encoder::NpuOptions& npu) {
  try {
    npu.tuned = npu::read_plan_file(options.plan_file);
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorCode::usage, std::string("npu plan file: ") + error.what());
  }
  npu.precision = npu.tuned->precision;
}

}  // namespace

encoder::NpuOptions npu_names(const DeviceOptions& options) {
  const auto plan = npu::find_plan(options.plan);
  if (!plan) refuse_name("device.plan", npu::kPlanNames, options.plan);
  const auto precision = npu::find_precision(options.precision);
  if (!precision) refuse_name("device.precision", npu::kPrecisionNames, options.precision);
  const DeviceOptions normal;
  const bool is_normal = options.plan == normal.plan && options.precision == normal.precision;
  if (!options.plan_file.empty() && !is_normal) {
    throw Error(ErrorCode::usage,
                "npu plan file: expected no npu plan and no npu precision beside "
                "it, found " +
                    options.plan + " and " + options.precision);
  }
  encoder::NpuOptions npu{.precision = *precision, .plan = *plan};
  npu.memory_limit = options.memory_limit;
  return npu;
}

DeviceSetup::DeviceSetup(const DeviceOptions& options)
    : options_(options), npu_(npu_names(options)) {
  if (!options_.plan_file.empty()) take_plan_file(options_, npu_);
}

const std::optional<ChosenOperator>& DeviceSetup::chosen_operator(bool is_simulated) const {
  auto& known = operators_[is_simulated ? 1 : 0];
  if (!known) known = choose_operator(options_, is_simulated);
  return *known;
}

models::Precision cpu_precision(const DeviceOptions& options) {
  if (options.cpu_precision == kAutoDevice) return models::auto_precision();
  const auto found = models::parse_precision(options.cpu_precision);
  if (!found) {
    refuse_name("device.cpu_precision", names_or_auto(models::kPrecisionNames),
                options.cpu_precision);
  }
  return *found;
}

std::optional<npu::Split> asked_split(const DeviceOptions& options) {
  if (options.split == kAutoDevice) return std::nullopt;
  const auto split = npu::find_split(options.split);
  if (!split) refuse_name("device.split", names_or_auto(npu::kSplitNames), options.split);
  return split;
}

bool asks_for_npu(const DeviceOptions& options) {
  const DeviceOptions normal;
  return options.plan != normal.plan || options.precision != normal.precision ||
         !options.plan_file.empty() || options.memory_limit || !options.xclbin.empty() ||
         !options.npu_operator.empty();
}

}  // namespace wnpu::app
