// Model file values -> fp32. Block layouts: ggml, ggml-common.h (block_q4_0 ... block_q8_0) and
// ggml-quants.c (dequantize_row_*). Values are exact: what those routines give, bit for bit.
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "models/files/model_file.h"
#include "models/files/tensor_layout.h"
#include "models/kernels/vectors/half_floats.h"

namespace wnpu::models {
namespace {

constexpr std::size_t kHalf = kQuantBlock / 2;

template <typename T>
T load(const std::byte* from) {
  T value = {};
  std::memcpy(&value, from, sizeof(T));
  return value;
}

float from_bf16(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16U);
}

void dequantize_bf16(const std::byte* from, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = from_bf16(load<std::uint16_t>(from + 2 * i));
  }
}

// Integer: std::int8_t or std::int16_t.
template <typename Integer>
void dequantize_rows(const TensorView& tensor, std::span<float> out) {
  const std::size_t rows = tensor.row_scales.size();
  assert(rows == tensor.shape[0]);
  const std::size_t cols = rows == 0 ? 0 : out.size() / rows;
  const std::byte* from = tensor.bytes.data();
  for (std::size_t r = 0; r < rows; ++r) {
    const float scale = tensor.row_scales[r];
    for (std::size_t i = r * cols; i < (r + 1) * cols; ++i) {
      out[i] = static_cast<float>(load<Integer>(from + i * sizeof(Integer))) / scale;
    }
  }
}

// The two nibbles of byte j are elements j and j + 16 of the block.
int low_nibble(const std::byte* nibbles, std::size_t j) {
  return std::to_integer<int>(nibbles[j] & std::byte{0x0f});
}
int high_nibble(const std::byte* nibbles, std::size_t j) {
  return std::to_integer<int>(nibbles[j] >> 4);
}
// Fifth bit of element i, moved to where it weighs 16.
int fifth_bit(std::uint32_t bits, std::size_t i) {
  return static_cast<int>(((bits >> i) & 1U) << 4U);
}

void block_q4_0(const std::byte* block, float* out) {
  const float scale = kernels::widen_f16(load<std::uint16_t>(block));
  const std::byte* nibbles = block + 2;
  for (std::size_t j = 0; j < kHalf; ++j) {
    out[j] = static_cast<float>(low_nibble(nibbles, j) - 8) * scale;
    out[j + kHalf] = static_cast<float>(high_nibble(nibbles, j) - 8) * scale;
  }
}

void block_q4_1(const std::byte* block, float* out) {
  const float scale = kernels::widen_f16(load<std::uint16_t>(block));
  const float minimum = kernels::widen_f16(load<std::uint16_t>(block + 2));
  const std::byte* nibbles = block + 4;
  for (std::size_t j = 0; j < kHalf; ++j) {
    out[j] = static_cast<float>(low_nibble(nibbles, j)) * scale + minimum;
    out[j + kHalf] = static_cast<float>(high_nibble(nibbles, j)) * scale + minimum;
  }
}

void block_q5_0(const std::byte* block, float* out) {
  const float scale = kernels::widen_f16(load<std::uint16_t>(block));
  const auto bits = load<std::uint32_t>(block + 2);
  const std::byte* nibbles = block + 6;
  for (std::size_t j = 0; j < kHalf; ++j) {
    const int first = low_nibble(nibbles, j) | fifth_bit(bits, j);
    const int second = high_nibble(nibbles, j) | fifth_bit(bits, j + kHalf);
    out[j] = static_cast<float>(first - 16) * scale;
    out[j + kHalf] = static_cast<float>(second - 16) * scale;
  }
}

void block_q5_1(const std::byte* block, float* out) {
  const float scale = kernels::widen_f16(load<std::uint16_t>(block));
  const float minimum = kernels::widen_f16(load<std::uint16_t>(block + 2));
  const auto bits = load<std::uint32_t>(block + 4);
  const std::byte* nibbles = block + 8;
  for (std::size_t j = 0; j < kHalf; ++j) {
    const int first = low_nibble(nibbles, j) | fifth_bit(bits, j);
    const int second = high_nibble(nibbles, j) | fifth_bit(bits, j + kHalf);
    out[j] = static_cast<float>(first) * scale + minimum;
    out[j + kHalf] = static_cast<float>(second) * scale + minimum;
  }
}

void block_q8_0(const std::byte* block, float* out) {
  const float scale = kernels::widen_f16(load<std::uint16_t>(block));
  for (std::size_t i = 0; i < kQuantBlock; ++i) {
    out[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * scale;
  }
}

void dequantize_blocks(const TensorView& tensor, void (*block)(const std::byte*, float*),
                       std::span<float> out) {
  const std::size_t bytes = block_layout(tensor.dtype).bytes;
  for (std::size_t b = 0; b < out.size() / kQuantBlock; ++b) {
    block(tensor.bytes.data() + b * bytes, out.data() + b * kQuantBlock);
  }
}

}  // namespace

std::size_t TensorView::size() const { return element_count(shape).value_or(0); }

void dequantize(const TensorView& tensor, std::span<float> out) {
  assert(out.size() == tensor.size());
  assert(tensor.bytes.size() == storage_bytes(tensor.dtype, tensor.shape));
  const std::byte* from = tensor.bytes.data();
  switch (tensor.dtype) {
    case DType::f32:
      if (!out.empty()) std::memcpy(out.data(), from, out.size_bytes());
      return;
    case DType::f16:
      return kernels::widen_f16(tensor.bytes, out);
    case DType::bf16:
      return dequantize_bf16(from, out);
    case DType::i8_rows:
      return dequantize_rows<std::int8_t>(tensor, out);
    case DType::i16_rows:
      return dequantize_rows<std::int16_t>(tensor, out);
    case DType::q4_0:
      return dequantize_blocks(tensor, block_q4_0, out);
    case DType::q4_1:
      return dequantize_blocks(tensor, block_q4_1, out);
    case DType::q5_0:
      return dequantize_blocks(tensor, block_q5_0, out);
    case DType::q5_1:
      return dequantize_blocks(tensor, block_q5_1, out);
    case DType::q8_0:
      return dequantize_blocks(tensor, block_q8_0, out);
  }
}

}  // namespace wnpu::models
