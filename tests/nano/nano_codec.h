// The number formats of model files, written down a second time, plainly and in double: what the
// readers' arithmetic is compared with.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/model_file.h"

namespace wnpu::tests {

std::uint16_t to_f16(double value);   // to nearest, ties to even; overflow gives infinity
double from_f16(std::uint16_t bits);  // finite values

// f32, f16, bf16 and ggml's blocks. `values` must fill whole blocks.
std::string encode(models::DType dtype, std::span<const float> values);
std::vector<float> decode(models::DType dtype, std::string_view bytes);

// CTranslate2's int8: value = int8 / scale of its row.
struct Int8Rows {
  std::string bytes;
  std::vector<float> scales;
};
Int8Rows encode_int8(std::span<const float> values, std::size_t rows);
std::vector<float> decode_int8(const Int8Rows& rows);

// Bytes of a number, little-endian.
template <typename T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

// How tokenizer files spell a token's bytes (GPT-2's byte-level alphabet), in UTF-8.
std::string gpt2_spelling(std::string_view bytes);

}  // namespace wnpu::tests
