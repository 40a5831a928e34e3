#include "npu/ops/entries.h"

#include "npu/kernel/op_counts.h"
#include "npu/ops/counted_cost.h"

namespace wnpu::npu::entries {

void set_tile(Operator& op, void (*run)(const Tables&, const OperatorCall&)) {
  op.tile = [run](const OperatorCall& call) {
    const kernel::ArrayFloatMode mode;
    run({kernel::array_kernels(), kernel::operator_kernels()}, call);
  };
  op.cost = [run, inputs = op.inputs, outputs = op.outputs,
             attributes = op.attribute_values()](const Sizes& sizes) {
    const CountingKernel counting{
        kernel::op_counts(), [run](const OperatorCall& call) {
          run({kernel::counting_kernels(), kernel::counting_operator_kernels()}, call);
        }};
    return counted_cost(counting, inputs, outputs, attributes, sizes);
  };
}

}  // namespace wnpu::npu::entries
