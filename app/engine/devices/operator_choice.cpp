#include "app/engine/devices/operator_choice.h"

#include <span>
#include <string>
#include <string_view>

#include "npu/ops/library.h"
#include "npu/ops/registry.h"
#include "npu/ops/stand_in.h"

namespace wnpu::app {
namespace {

// "gelu=NAME": NAME.
std::string named(const DeviceOptions& options) {
  const std::string role = std::string(npu::kReplaceable) + "=";
  if (options.npu_operator.starts_with(role) && options.npu_operator.size() > role.size()) {
    return options.npu_operator.substr(role.size());
  }
  throw Error("device.npu_operator", ": expected " + role + "NAME, found " + options.npu_operator);
}

std::string why_on_cpu(const npu::Operator& op, const DeviceOptions& options, bool is_simulated) {
  if (!is_simulated) return "the NPU's overlay does not have it";
  if (!op.tile) return "it has no tile kernel";
  const auto plan = npu::find_plan(options.plan);
  if (plan == npu::Plan::hybrid) return "plan hybrid leaves GELU to the CPU";
  return "";
}

}  // namespace

void ChosenOperator::apply(encoder::NpuOptions& options) const {
  if (runs_on_core()) return;
  options.plan = npu::Plan::hybrid;
  options.gelu = [op = op](std::span<float> values) { npu::apply_reference(*op, values); };
}

void check_operator(const DeviceOptions& options) {
  if (!options.npu_operator.empty()) {
    named(options);
  } else if (!options.operators.empty()) {
    throw Error("device.operators", ": expected an npu_operator that is one of them, found none");
  }
}

std::optional<ChosenOperator> choose_operator(const DeviceOptions& options, bool is_simulated) {
  if (options.npu_operator.empty()) return std::nullopt;
  const std::string name = named(options);
  npu::OperatorRegistry registry;
  for (const std::string& path : options.operators) registry.add(npu::load_operator(path));
  ChosenOperator chosen{registry.find(name), {}};
  if (!chosen.op) {
    throw Error("device.npu_operator", ": expected an operator that is there, found " + name);
  }
  npu::require_like_gelu(*chosen.op);
  const std::string reason = why_on_cpu(*chosen.op, options, is_simulated);
  if (!reason.empty() && !options.plan_file.empty()) {
    throw Error("device.npu_operator",
                " " + name + ": expected one that cores run, beside a plan_file, found: " + reason);
  }
  chosen.use = {std::string(npu::kReplaceable), name, chosen.op->source,
                std::string(kOperatorPlaces[reason.empty() ? 0 : 1]), reason};
  return chosen;
}

}  // namespace wnpu::app
