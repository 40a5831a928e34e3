#include "npu/ops/entries.h"

#include "npu/kernel/issue_limits.h"
#include "npu/kernel/op_counts.h"
#include "npu/ops/operand_values.h"

namespace wnpu::npu::entries {
namespace {

// Buffers of small whole numbers: the count of a kernel's instructions hardly depends on them.
std::vector<OperandBuffer> small_numbers(const std::vector<Operand>& operands, const Sizes& sizes) {
  std::vector<OperandBuffer> buffers;
  for (const Operand& operand : operands) {
    OperandBuffer& buffer = buffers.emplace_back(operand, sizes);
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer.set(i, static_cast<double>(i % 3) - 1);
  }
  return buffers;
}

std::string counts_text(const kernel::OpCounts& c, std::string_view unit) {
  const auto part = [](std::uint64_t n, const char* name) { return std::to_string(n) + name; };
  return part(c.mac, " products, ") + part(c.alu, " ALU, ") + part(c.shuffle, " shuffles, ") +
         part(c.load, " loads, ") + part(c.store, " stores, ") + part(c.upshift, " UPS, ") +
         part(c.downshift, " SRS, ") + part(c.scalar, " scalar; least cycles, by ") +
         std::string(unit);
}

}  // namespace

Operator with_tile(Operator op, void (*run)(const kernel::TileKernels&, const OperatorCall&)) {
  op.tile = [run](const OperatorCall& call) {
    const kernel::ArrayFloatMode mode;
    run(kernel::array_kernels(), call);
  };
  op.cost = [run, inputs = op.inputs, outputs = op.outputs,
             attributes = op.attribute_values()](const Sizes& sizes) {
    std::vector<OperandBuffer> in = small_numbers(inputs, sizes);
    std::vector<OperandBuffer> out = small_numbers(outputs, sizes);
    kernel::op_counts() = {};
    run(kernel::counting_kernels(), CallArrays::of(in, out).call(sizes, attributes));
    const kernel::IssueBound least = kernel::issue_bound(kernel::op_counts());
    return std::optional(
        TileCost{least.cycles, Provenance::counted, counts_text(kernel::op_counts(), least.unit)});
  };
  return op;
}

}  // namespace wnpu::npu::entries
