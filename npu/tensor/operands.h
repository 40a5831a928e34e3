// Operands of a product as the array takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "npu/kernel/bf16.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

// [rows, columns], row-major. Integers times their row's or column's scale times 2^exponent are the
// values; scales are at most about 1, so that a product of two of them is a normal float where it
// matters. bf16 has none.
template <typename T>
struct ProductOperand {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<T> values;
  std::vector<float> scales = {};
  int exponent = 0;
};
using Bf16Operand = ProductOperand<bfloat16>;
using Int8Operand = ProductOperand<std::int8_t>;

Bf16Operand as_bf16_operand(const Tensor& tensor);

// Symmetric, to nearest even: the largest of a row (of the left operand) or of a column (of the
// right one) is `levels`, 127 or 32639. `values` may be read as numbers by dequantised().
enum class Side { left, right };
struct Quantised {
  ProductOperand<std::int32_t> whole;
  Side side = Side::left;
};
// Throws TensorError, which begins with `where`, for a value that is not finite.
Quantised quantise(const Tensor& tensor, Side side, std::int32_t levels, const std::string& where);
constexpr std::int32_t kInt8Levels = 127;
constexpr std::int32_t kInt16Levels = 127 * 256 + 127;  // 256 high + low, both of int8

Int8Operand as_int8(const Quantised& quantised);
// whole = 256 high + low.
struct Halves {
  Int8Operand high;  // its scales are 256 times as large
  Int8Operand low;
};
Halves split(const Quantised& quantised);

}  // namespace wnpu::npu::ops
