// Layouts: dequantize.cpp. Scales: CTranslate2, model_spec.py _quantize; ggml, ggml-quants.c
// quantize_row_*_ref.
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

namespace wnpu::models {
namespace {

using Block = std::span<const float, kQuantBlock>;
using Levels = std::array<int, kQuantBlock>;

constexpr float kMaxInt8 = 127;
constexpr std::size_t kHalfBlock = kQuantBlock / 2;

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

// A row's scale; finite whatever the row is.
float int8_scale(float largest) {
  if (largest == 0) return kMaxInt8;
  return std::min(kMaxInt8 / largest, std::numeric_limits<float>::max());
}

StoredValues int8_rows(ConstMatrixView values) {
  StoredValues stored;
  stored.bytes.reserve(values.rows * values.cols);
  for (std::size_t r = 0; r < values.rows; ++r) {
    const float scale = int8_scale(largest_of(values.row(r)));
    stored.row_scales.push_back(scale);
    for (const float value : values.row(r)) {
      const float level = std::clamp(std::nearbyint(value * scale), -kMaxInt8, kMaxInt8);
      append(stored.bytes, static_cast<std::int8_t>(level));
    }
  }
  return stored;
}

// A block of levels: value = level * scale + minimum.
struct BlockKind {
  int levels;        // 16, 32; 0: 256
  bool has_minimum;  // else level 0 lies in the middle
};

BlockKind kind_of(DType dtype) {
  switch (dtype) {
    case DType::q4_0:
      return {16, false};
    case DType::q4_1:
      return {16, true};
    case DType::q5_0:
      return {32, false};
    case DType::q5_1:
      return {32, true};
    default:
      return {0, false};
  }
}

class BlockWriter {
 public:
  BlockWriter(DType dtype, const std::string& name) : kind_(kind_of(dtype)), name_(name) {}

  void write(Block block, std::string& bytes) const {
    if (kind_.levels == 0) {
      write_int8(block, bytes);
    } else if (kind_.has_minimum) {
      write_from_minimum(block, bytes);
    } else {
      write_from_middle(block, bytes);
    }
  }

 private:
  // As the reader will have it. Levels are chosen by what was rounded, so that each value is the
  // nearest that the block has.
  float append_half(float value, std::string& bytes) const {
    std::uint16_t half = 0;
    kernels::narrow_f16({&value, 1}, {&half, 1});
    append(bytes, half);
    const float read = kernels::widen_f16(half);
    if (!std::isfinite(read)) {
      throw ModelError(name_ + ": expected blocks whose scales are fp16 numbers, found " +
                       std::to_string(value));
    }
    return read;
  }

  static int level_of(float value, float scale, int least, int most) {
    if (scale == 0) return std::clamp(0, least, most);
    const float level = std::nearbyint(value / scale);
    return static_cast<int>(std::clamp(level, static_cast<float>(least), static_cast<float>(most)));
  }

  void write_int8(Block block, std::string& bytes) const {
    const float scale = append_half(largest_of(block) / kMaxInt8, bytes);
    for (const float value : block) {
      append(bytes, static_cast<std::int8_t>(level_of(value, scale, -127, 127)));
    }
  }

  // The largest value by size gets the lowest level, of which there is one more than above 0.
  void write_from_middle(Block block, std::string& bytes) const {
    const int middle = kind_.levels / 2;
    const float extreme =
        *std::ranges::max_element(block, {}, [](float value) { return std::abs(value); });
    const float scale = append_half(extreme / static_cast<float>(-middle), bytes);
    Levels levels = {};
    for (std::size_t i = 0; i < levels.size(); ++i) {
      levels[i] = middle + level_of(block[i], scale, -middle, middle - 1);
    }
    append_levels(levels, bytes);
  }

  void write_from_minimum(Block block, std::string& bytes) const {
    const auto [least, most] = std::ranges::minmax(block);
    const int last = kind_.levels - 1;
    const float step = most / static_cast<float>(last) - least / static_cast<float>(last);
    const float scale = append_half(step, bytes);
    const float minimum = append_half(least, bytes);
    Levels levels = {};
    for (std::size_t i = 0; i < levels.size(); ++i) {
      levels[i] = level_of(block[i] - minimum, scale, 0, last);
    }
    append_levels(levels, bytes);
  }

  // Fifth bits, where there are any, then nibbles: elements j and j + 16 share a byte.
  void append_levels(const Levels& levels, std::string& bytes) const {
    constexpr int kNibble = 0x0f;
    if (kind_.levels == 32) {
      std::uint32_t fifth = 0;
      for (std::size_t i = 0; i < levels.size(); ++i) {
        fifth |= static_cast<std::uint32_t>(levels[i] >> 4) << i;
      }
      append(bytes, fifth);
    }
    for (std::size_t j = 0; j < kHalfBlock; ++j) {
      const int low = levels[j] & kNibble;
      const int high = levels[j + kHalfBlock] & kNibble;
      append(bytes, static_cast<std::uint8_t>(low | (high << 4)));
    }
  }

  BlockKind kind_;
  const std::string& name_;
};

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
  const BlockWriter writer(dtype, name);
  for (std::size_t r = 0; r < values.rows; ++r) {
    for (std::size_t c = 0; c < values.cols; c += kQuantBlock) {
      writer.write(values.row(r).subspan(c).first<kQuantBlock>(), stored.bytes);
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
  if (block_layout(dtype).elements > 1) return blocks(dtype, values, name);
  StoredValues stored;
  stored.bytes.reserve(values.rows * values.cols * block_layout(dtype).bytes);
  for (std::size_t r = 0; r < values.rows; ++r) {
    for (const float value : values.row(r)) append_float(dtype, value, name, stored.bytes);
  }
  return stored;
}

Matrix rounded_to_nearest(ConstMatrixView values, DType type, const std::string& name) {
  const StoredValues stored = stored_values(type, values, name);
  const TensorView view{.dtype = type,
                        .shape = {values.rows, values.cols},
                        .bytes = std::as_bytes(std::span(stored.bytes)),
                        .row_scales = stored.row_scales};
  Matrix rounded = Matrix::uninitialised(values.rows, values.cols);
  dequantize(view, rounded.flat());
  return rounded;
}

}  // namespace wnpu::models
