// Scales: ggml, ggml-quants.c quantize_row_*_ref.
#include "models/quantize/value_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "models/base/error.h"
#include "models/kernels/vectors/half_floats.h"

namespace wnpu::models {
namespace {

constexpr int kNibbleBits = 4;
constexpr int kNibble = 0x0f;
constexpr std::size_t kHalfBlock = kQuantBlock / 2;

template <typename T>
void append_bytes(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void append_half(std::string& bytes, float value) {
  std::uint16_t half = 0;
  kernels::narrow_f16({&value, 1}, {&half, 1});
  append_bytes(bytes, half);
}

// Fifth bits, where there are any, then nibbles: elements j and j + 16 share a byte.
void append_packed_levels(std::string& bytes, const ValueBlock& block, const BlockKind& kind) {
  if (kind.most - kind.least > kNibble) {
    std::uint32_t fifth = 0;
    for (std::size_t i = 0; i < kQuantBlock; ++i) {
      fifth |= static_cast<std::uint32_t>((block.levels[i] - kind.least) >> kNibbleBits) << i;
    }
    append_bytes(bytes, fifth);
  }
  for (std::size_t j = 0; j < kHalfBlock; ++j) {
    const int low = (block.levels[j] - kind.least) & kNibble;
    const int high = (block.levels[j + kHalfBlock] - kind.least) & kNibble;
    append_bytes(bytes, static_cast<std::uint8_t>(low | (high << kNibbleBits)));
  }
}

}  // namespace

BlockKind block_kind(DType type) {
  switch (type) {
    case DType::q4_0:
      return {-8, 7, false};
    case DType::q4_1:
      return {0, 15, true};
    case DType::q5_0:
      return {-16, 15, false};
    case DType::q5_1:
      return {0, 31, true};
    default:
      return {-127, 127, false};
  }
}

float scale_in_half(float value, const std::string& name) {
  std::uint16_t half = 0;
  kernels::narrow_f16({&value, 1}, {&half, 1});
  const float read = kernels::widen_f16(half);
  if (!std::isfinite(read)) {
    throw ModelError(name + ": expected blocks whose scales are fp16 numbers, found " +
                     std::to_string(value));
  }
  return read;
}

int nearest_level(float value, float scale, const BlockKind& kind) {
  if (scale == 0) return std::clamp(0, kind.least, kind.most);
  const float level = std::nearbyint(value / scale);
  return static_cast<int>(
      std::clamp(level, static_cast<float>(kind.least), static_cast<float>(kind.most)));
}

ValueBlock nearest_block(const BlockKind& kind, BlockValues values, const std::string& name) {
  ValueBlock block;
  const auto [least, most] = std::ranges::minmax(values);
  if (kind.has_minimum) {
    const auto last = static_cast<float>(kind.most);
    block.scale = scale_in_half(most / last - least / last, name);
    block.minimum = scale_in_half(least, name);
  } else {
    const float extreme =
        *std::ranges::max_element(values, {}, [](float value) { return std::abs(value); });
    // Levels with one more below 0 than above it: the largest value by size gets the lowest.
    const bool is_even = kind.least == -kind.most;
    block.scale = scale_in_half(is_even ? std::abs(extreme) / static_cast<float>(kind.most)
                                        : extreme / static_cast<float>(kind.least),
                                name);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    block.levels[i] = nearest_level(values[i] - block.minimum, block.scale, kind);
  }
  return block;
}

void append_block(DType type, const ValueBlock& block, std::string& bytes) {
  const BlockKind kind = block_kind(type);
  append_half(bytes, block.scale);
  if (kind.has_minimum) append_half(bytes, block.minimum);
  if (type != DType::q8_0) return append_packed_levels(bytes, block, kind);
  for (const int level : block.levels) append_bytes(bytes, static_cast<std::int8_t>(level));
}

}  // namespace wnpu::models
