#include "npu/ops/entries.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "npu/kernel/issue_limits.h"
#include "npu/kernel/op_counts.h"

namespace wnpu::npu::entries {
namespace {

constexpr std::size_t kVectorBytes = 64;

// Buffers of one tile on a vector, full of a pattern that is 1.0 or small whole numbers in every
// type: the count of a kernel's instructions hardly depends on them.
class PatternBuffers {
 public:
  PatternBuffers(const std::vector<Operand>& operands, const Sizes& sizes) {
    for (const Operand& operand : operands) {
      auto& words =
          storage_.emplace_back((operand.bytes(sizes) + 2 * kVectorBytes) / 4, 0x3f803f80u);
      if (operand.type == ElementType::int8) std::fill(words.begin(), words.end(), 0x01010101u);
      void* address = words.data();
      std::size_t room = words.size() * 4;
      pointers_.push_back(std::align(kVectorBytes, operand.bytes(sizes), address, room));
    }
  }
  void* const* pointers() const { return pointers_.data(); }

 private:
  std::vector<std::vector<std::uint32_t>> storage_;
  std::vector<void*> pointers_;
};

std::string count_text(const kernel::OpCounts& c, std::string_view unit) {
  const auto part = [](std::uint64_t n, const char* name) { return std::to_string(n) + name; };
  return part(c.mac, " products, ") + part(c.alu, " ALU, ") + part(c.shuffle, " shuffles, ") +
         part(c.load, " loads, ") + part(c.store, " stores, ") + part(c.upshift, " UPS, ") +
         part(c.downshift, " SRS, ") + part(c.scalar, " scalar; least cycles, by ") +
         std::string(unit);
}

}  // namespace

void set_tile(Operator& op, void (*run)(const Tables&, const OperatorCall&)) {
  op.tile = [run](const OperatorCall& call) {
    const kernel::ArrayFloatMode mode;
    run({kernel::array_kernels(), kernel::operator_kernels()}, call);
  };
  op.cost = [run, inputs = op.inputs, outputs = op.outputs,
             attributes = op.attribute_values()](const Sizes& sizes) {
    const PatternBuffers in(inputs, sizes);
    const PatternBuffers out(outputs, sizes);
    const OperatorCall call{sizeof call,   sizes.data(),   attributes.data(),
                            in.pointers(), out.pointers(), nullptr};
    kernel::op_counts() = {};
    run({kernel::counting_kernels(), kernel::counting_operator_kernels()}, call);
    const kernel::OpCounts counts = std::exchange(kernel::op_counts(), {});
    const kernel::IssueBound least = kernel::issue_bound(counts);
    return std::optional(
        TileCost{least.cycles, Provenance::counted, count_text(counts, least.unit)});
  };
}

}  // namespace wnpu::npu::entries
