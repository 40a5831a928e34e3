#include "npu/ops/operator.h"

#include <algorithm>
#include <array>

#include "npu/core/core_memory.h"

namespace wnpu::npu {
namespace {

struct TypeRow {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array kTypes{TypeRow{"float32", 4}, TypeRow{"bfloat16", 2}, TypeRow{"int8", 1},
                            TypeRow{"int32", 4}};

// Sums are kept in the accumulators, all else is an element of a port.
std::size_t room_of(ElementType type) {
  return bytes_of(type) == 4 ? kAccumulatorBytes : kElementBytes;
}

std::string shape_text(const Operator& op, const Operand& operand) {
  const auto size = [&](std::size_t i) { return op.sizes.at(i).name; };
  std::string text = std::string(type_name(operand.type)) + " [" + size(operand.rows);
  if (operand.columns != Operand::kNoColumns) text += ", " + size(operand.columns);
  return text + "] in tiles of " + std::to_string(operand.tile_rows) + "x" +
         std::to_string(operand.tile_columns);
}

std::string operands_fault(const Operator& op, const Operator& other,
                           std::vector<Operand> Operator::*list, const std::string& what) {
  const std::vector<Operand>& ours = op.*list;
  const std::vector<Operand>& theirs = other.*list;
  if (ours.size() != theirs.size()) {
    return what + "s: expected " + std::to_string(ours.size()) + ", found " +
           std::to_string(theirs.size());
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::string expected = shape_text(op, ours[i]);
    const std::string found = shape_text(other, theirs[i]);
    if (expected == found) continue;
    return what + " " + ours[i].name + ": expected " + expected + ", found " + found;
  }
  return "";
}

}  // namespace

std::size_t bytes_of(ElementType type) { return kTypes[static_cast<std::size_t>(type)].bytes; }
std::string_view type_name(ElementType type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::vector<double> Operator::attribute_values() const {
  std::vector<double> values;
  for (const OperatorAttribute& attribute : attributes) values.push_back(attribute.value);
  return values;
}

std::string Operator::size_fault(const Sizes& given) const {
  if (given.size() != sizes.size()) {
    return "sizes: expected " + std::to_string(sizes.size()) + ", found " +
           std::to_string(given.size());
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const OperatorSize& size = sizes[i];
    if (given[i] > 0 && given[i] % size.multiple == 0 && given[i] <= size.most) continue;
    return size.name + ": expected a multiple of " + std::to_string(size.multiple) + ", at most " +
           std::to_string(size.most) + ", found " + std::to_string(given[i]);
  }
  for (const auto* operands : {&inputs, &outputs}) {
    for (const Operand& operand : *operands) {
      if (operand.bytes(given) <= room_of(operand.type)) continue;
      return operand.name + ": expected at most " + std::to_string(room_of(operand.type)) +
             " bytes, found " + std::to_string(operand.bytes(given));
    }
  }
  return "";
}

std::string Operator::sizes_text(const Sizes& given) const {
  std::string text;
  for (std::size_t i = 0; i < given.size(); ++i) {
    text += (i > 0 ? " " : "") + sizes[i].name + "=" + std::to_string(given[i]);
  }
  return text;
}

Sizes Operator::usual_sizes() const {
  const std::size_t most = sizes.size() == 1 ? sizes[0].most : 64;
  Sizes usual;
  for (const OperatorSize& size : sizes) {
    usual.push_back(
        std::max(std::min(most, size.most) / size.multiple * size.multiple, size.multiple));
  }
  while (!size_fault(usual).empty()) {
    const auto longest = std::ranges::max_element(usual);
    const std::size_t multiple = sizes[static_cast<std::size_t>(longest - usual.begin())].multiple;
    if (*longest <= multiple) break;
    *longest = std::max(*longest / 2 / multiple * multiple, std::uint64_t{multiple});
  }
  return usual;
}

std::string signature_fault(const Operator& op, const Operator& other) {
  if (op.sizes.size() != other.sizes.size()) {
    return "sizes: expected " + std::to_string(op.sizes.size()) + ", found " +
           std::to_string(other.sizes.size());
  }
  for (std::size_t i = 0; i < op.sizes.size(); ++i) {
    const OperatorSize& ours = op.sizes[i];
    const OperatorSize& theirs = other.sizes[i];
    if (ours.name != theirs.name || ours.multiple % theirs.multiple != 0 ||
        theirs.most < ours.most) {
      return "size " + std::to_string(i) + ": expected " + ours.name + ", every multiple of " +
             std::to_string(ours.multiple) + " up to " + std::to_string(ours.most) + "; found " +
             theirs.name + ", multiples of " + std::to_string(theirs.multiple) + " up to " +
             std::to_string(theirs.most);
    }
  }
  const std::string fault = operands_fault(op, other, &Operator::inputs, "input");
  return fault.empty() ? operands_fault(op, other, &Operator::outputs, "result") : fault;
}

}  // namespace wnpu::npu
