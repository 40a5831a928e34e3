// Layouts: dequantize.cpp. Scales: CTranslate2, model_spec.py _quantize; ggml's blocks:
// value_blocks.h.
#include "models/quantize/stored_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "models/base/error.h"
#include "models/files/tensor_layout.h"
#include "models/kernels/vectors/half_floats.h"
#include "models/quantize/value_blocks.h"

namespace wnpu::models {
namespace {

constexpr float kMaxInt8 = 127;
constexpr float kMaxInt16 = 1024;

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// To the nearest, ties to even; what would round to infinity becomes the largest number.
std::uint16_t bf16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint32_t kJustBelowHalf = 0x7fff;
  constexpr std::uint32_t kInfinity = 0x7f80;
  const std::uint32_t rounded = (bits + kJustBelowHalf + ((bits >> 16U) & 1U)) >> 16U;
  const bool is_infinite = (rounded & kInfinity) == kInfinity;
  return static_cast<std::uint16_t>(is_infinite ? rounded - 1 : rounded);
}

float largest_of(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// In f32, f16 or bf16.
void append_float(DType dtype, float value, const std::string& name, std::string& bytes) {
  if (dtype == DType::f32) return append(bytes, value);
  if (dtype == DType::bf16) return append(bytes, bf16_of(value));
  std::uint16_t half = 0;
  kernels::narrow_f16({&value, 1}, {&half, 1});
  if (!std::isfinite(kernels::widen_f16(half))) {
    throw ModelError(name + ": expected values that fit fp16, found " + std::to_string(value));
  }
  append(bytes, half);
}

// Factor that brings the largest value to `limit`; finite whatever it is.
float integer_scale(float largest, float limit) {
  if (largest == 0) return limit;
  return std::min(limit / largest, std::numeric_limits<float>::max());
}

template <typename Integer>
void append_levels(std::span<const float> row, float scale, float limit, StoredValues& stored) {
  stored.row_scales.push_back(scale);
  for (const float value : row) {
    const float level = std::clamp(std::nearbyint(value * scale), -limit, limit);
    append(stored.bytes, static_cast<Integer>(level));
  }
}

StoredValues int8_rows(ConstMatrixView values) {
  StoredValues stored;
  stored.bytes.reserve(values.rows * values.cols);
  for (std::size_t r = 0; r < values.rows; ++r) {
    const float scale = integer_scale(largest_of(values.row(r)), kMaxInt8);
    append_levels<std::int8_t>(values.row(r), scale, kMaxInt8, stored);
  }
  return stored;
}

StoredValues int16_rows(ConstMatrixView values) {
  StoredValues stored;
  stored.bytes.reserve(values.rows * values.cols * sizeof(std::int16_t));
  float largest = 0;
  for (std::size_t r = 0; r < values.rows; ++r) {
    largest = std::max(largest, largest_of(values.row(r)));
  }
  const float scale = integer_scale(largest, kMaxInt16);
  for (std::size_t r = 0; r < values.rows; ++r) {
    append_levels<std::int16_t>(values.row(r), scale, kMaxInt16, stored);
  }
  return stored;
}

StoredValues blocks(DType dtype, ConstMatrixView values, const std::string& name) {
  const std::array shape{values.rows, values.cols};
  const auto size = storage_bytes(dtype, shape);
  if (!size) {
    throw ModelError(name + ": expected rows of a multiple of " + std::to_string(kQuantBlock) +
                     " values for " + std::string(dtype_name(dtype)) + ", found " +
                     std::to_string(values.cols));
  }
  StoredValues stored;
  stored.bytes.reserve(*size);
  const BlockKind kind = block_kind(dtype);
  for (std::size_t r = 0; r < values.rows; ++r) {
    for (std::size_t c = 0; c < values.cols; c += kQuantBlock) {
      const auto block = values.row(r).subspan(c).first<kQuantBlock>();
      append_block(dtype, nearest_block(kind, block, name), stored.bytes);
    }
  }
  return stored;
}

}  // namespace

StoredValues stored_values(DType dtype, ConstMatrixView values, const std::string& name) {
  for (std::size_t r = 0; r < values.rows; ++r) {
    if (!kernels::all_finite(values.row(r))) {
      throw ModelError(name + ": expected finite values, found a NaN or infinity");
    }
  }
  if (dtype == DType::i8_rows) return int8_rows(values);
  if (dtype == DType::i16_rows) return int16_rows(values);
  if (block_layout(dtype).elements > 1) return blocks(dtype, values, name);
  StoredValues stored;
  stored.bytes.reserve(values.rows * values.cols * block_layout(dtype).bytes);
  for (std::size_t r = 0; r < values.rows; ++r) {
    for (const float value : values.row(r)) append_float(dtype, value, name, stored.bytes);
  }
  return stored;
}

Matrix read_back(const StoredValues& stored, DType type, std::size_t rows, std::size_t cols) {
  const TensorView view{.dtype = type,
                        .shape = {rows, cols},
                        .bytes = std::as_bytes(std::span(stored.bytes)),
                        .row_scales = stored.row_scales};
  Matrix values = Matrix::uninitialised(rows, cols);
  dequantize(view, values.flat());
  return values;
}

Matrix rounded_to_nearest(ConstMatrixView values, DType type, const std::string& name) {
  return read_back(stored_values(type, values, name), type, values.rows, values.cols);
}

}  // namespace wnpu::models
