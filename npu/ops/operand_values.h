// Operands of one tile, as a core's buffers hold them and as numbers: row-major there, in the
// operand's type and tiles here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "npu/ops/operator.h"

namespace wnpu::npu {

// An operand in a core's buffer, which lies on a vector and is full of 0xff (NaN) at first.
class OperandBuffer {
 public:
  OperandBuffer(const Operand& operand, const Sizes& sizes);
  OperandBuffer(OperandBuffer&&) = default;  // what was allocated moves along, and data_ with it
  OperandBuffer(const OperandBuffer&) = delete;
  OperandBuffer& operator=(const OperandBuffer&) = delete;

  void* data() { return data_; }
  std::size_t size() const { return elements_; }  // elements
  // Element `at` in row-major order. A value too small for a normal number is stored as the
  // denormal that it is, and read as zero, as the array reads it.
  void set(std::size_t at, double value);
  double get(std::size_t at) const;

 private:
  std::size_t place_of(std::size_t at) const;

  ElementType type_;
  std::size_t elements_, columns_, tile_rows_, tile_columns_;
  std::vector<std::uint64_t> storage_;
  std::byte* data_;
};

// Half a step of a type at a value: what one rounding to nearest may be off.
double half_step(ElementType type, double value);
// Above, a number of the type is infinite.
double largest_of(ElementType type);

// An operator's call on one array an operand: `rows` of T, or tile buffers.
class CallArrays {
 public:
  CallArrays(std::vector<const void*> inputs, std::vector<void*> outputs,
             std::vector<double*> magnitudes = {});
  // Lists of arrays, whatever has data().
  template <typename In, typename Out, typename Magnitudes = std::span<std::vector<double>>>
  static CallArrays of(In& inputs, Out& outputs, Magnitudes&& magnitudes = {}) {
    CallArrays arrays({}, {});
    for (auto& array : inputs) arrays.inputs_.push_back(array.data());
    for (auto& array : outputs) arrays.outputs_.push_back(array.data());
    for (auto& array : magnitudes) arrays.magnitudes_.push_back(array.data());
    return arrays;
  }
  // All have to live as long as the call.
  OperatorCall call(const Sizes& sizes, std::span<const double> attributes) const;

 private:
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
  std::vector<double*> magnitudes_;
};

}  // namespace wnpu::npu
