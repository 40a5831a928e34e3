#include "app/commands/npu/computations.h"

#include <utility>

#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "npu/device.h"
#include "npu/tensor/recorded_calls.h"

namespace wnpu::app {
namespace {

namespace ops = npu::ops;

constexpr const char* kComputeOption = "--compute";
constexpr const char* kMatmul = "matmul";
// A size by itself; operands as a whole have a limit too.
constexpr IntegerRange kSize{{1, 1U << 28}, {}};

std::string form_of(const std::string& name) {
  std::string form = name + ":";
  form += ops::operation_sizes(name);
  if (name == kMatmul) form += "[:TYPE]";
  return form;
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

ops::SizedOperation parse_computation(const std::string& text) {
  const std::vector<std::string> parts = parts_of(text, ':');
  ops::SizedOperation operation{.name = parts[0], .sizes = {}};
  const bool is_known = !ops::operation_sizes(parts[0]).empty();
  const std::size_t most = parts[0] == kMatmul ? 3 : 2;
  if (!is_known || parts.size() < 2 || parts.size() > most) {
    throw UsageError(std::string(kComputeOption) + ": expected " +
                     (is_known ? form_of(parts[0]) : computation_forms()) + ", found " + text);
  }
  try {
    for (const std::string& size : parts_of(parts[1], ',')) {
      operation.sizes.push_back(parse_integer(kComputeOption, size, kSize));
    }
  } catch (const CLI::ValidationError& error) {
    throw UsageError(error.what());
  }
  if (parts.size() < 3) return operation;
  const std::optional<ops::Type> type = ops::find_type(parts[2]);
  if (!type) {
    throw UsageError(std::string(kComputeOption) + ": expected bf16, int8 or int16, found " +
                     parts[2]);
  }
  operation.type = *type;
  return operation;
}

}  // namespace

std::string computation_forms() {
  std::string forms;
  for (const std::string& name : ops::operation_names()) {
    forms += forms.empty() ? "" : "|";
    forms += form_of(name);
  }
  return forms;
}

std::vector<npu::NamedDesign> computation_designs(const npu::Target& target,
                                                  const std::vector<std::string>& texts,
                                                  std::optional<std::uint64_t> memory_limit) {
  std::vector<npu::NamedDesign> named;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const ops::SizedOperation operation = parse_computation(texts[i]);
    std::vector<npu::Design> designs;
    try {
      designs = ops::recorded_calls(target, operation, memory_limit);
    } catch (const ops::TensorError& error) {
      throw UsageError(std::string(kComputeOption) + ": " + error.what());
    } catch (const npu::DeviceError& error) {
      throw UsageError(std::string(kComputeOption) + ": " + error.what());
    }
    for (std::size_t call = 0; call < designs.size(); ++call) {
      std::string name = operation.name + "_" + std::to_string(i);
      name += "_" + std::to_string(call);
      named.push_back({std::move(name), std::move(designs[call])});
    }
  }
  return named;
}

}  // namespace wnpu::app
