#include "npu/ops/outside/probe_reference.h"

#include <cmath>
#include <limits>

#include "npu/ops/operand_values.h"

namespace wnpu::npu {
namespace {

constexpr std::size_t kGuards = 16;  // elements behind each result
constexpr int kMark = 12345;         // no result of an ordinary value by chance

template <typename T>
void check_output(const std::vector<T>& found, std::size_t n, const std::string& where) {
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isfinite(found[i])) continue;
    throw OperatorError(where + "[" + std::to_string(i) +
                        "]: expected a finite number from ordinary " + "values, found " +
                        std::to_string(found[i]));
  }
  for (std::size_t i = n; i < found.size(); ++i) {
    if (found[i] == static_cast<T>(kMark)) continue;
    throw OperatorError(where + ": expected " + std::to_string(n) +
                        " elements, found one written behind them");
  }
}

template <typename T>
void probe_operator(const Operator& op, const std::function<void(const OperatorCall&)>& run,
                    const std::string& name) {
  Sizes sizes;
  for (const OperatorSize& size : op.sizes) sizes.push_back(size.multiple);
  std::vector<std::vector<T>> inputs, outputs;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Operand& operand : op.inputs) {
    auto& values = inputs.emplace_back(operand.elements(sizes));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 5) - T{2};
    in.push_back(values.data());
  }
  for (const Operand& operand : op.outputs) {
    auto& values = outputs.emplace_back(operand.elements(sizes) + kGuards, static_cast<T>(kMark));
    std::fill_n(values.begin(), operand.elements(sizes), std::numeric_limits<T>::quiet_NaN());
    out.push_back(values.data());
  }
  const std::vector<double> attributes = op.attribute_values();
  run(CallArrays(in, out).call(sizes, attributes));
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    check_output(outputs[o], op.outputs[o].elements(sizes),
                 op.source + ": " + op.name + ": " + name + ": " + op.outputs[o].name);
  }
}

}  // namespace

void probe_reference(const Operator& op) {
  probe_operator<double>(op, op.exact, "exact");
  probe_operator<float>(op, op.reference, "reference");
}

}  // namespace wnpu::npu
