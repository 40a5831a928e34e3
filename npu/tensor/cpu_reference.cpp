#include "npu/ops/operand_values.h"
#include "npu/ops/registry.h"
#include "npu/tensor/operations.h"

namespace wnpu::npu::ops {
namespace {

const OperatorRegistry& registry() {
  static const OperatorRegistry kRegistry;
  return kRegistry;
}

}  // namespace

ErrorBound registered_bound(const std::string& name, const Sizes& sizes) {
  return registry().find(name)->outputs.front().bound(sizes);
}

void run_reference(const std::string& name, const Sizes& sizes,
                   const std::vector<const float*>& inputs, Tensor& to, TensorReport& report) {
  const auto op = registry().find(name);
  const CallArrays arrays({inputs.begin(), inputs.end()}, {to.values.data()});
  const std::vector<double> attributes = op->attribute_values();
  op->reference(arrays.call(sizes, attributes));
  const ErrorBound bound = registered_bound(name, sizes);
  report.ran_on = "cpu";
  report.is_simulated = false;
  report.bound.absolute = bound.absolute;
  report.bound.relative = bound.relative + 0x1p-23;  // and half a step of float
  report.bound.has_half_step = false;
  report.bound.operands = "in fp32";
}

}  // namespace wnpu::npu::ops
