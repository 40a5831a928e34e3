// One tensor of a model file, in the type it has there.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace wnpu::models {

// Element types found in model files. i8_rows and i16_rows are CTranslate2's int8 and int16: one
// fp32 scale a row (int16's rows have the same), value = integer / scale. The q types are ggml's
// blocks of 32 along a row.
enum class DType { f32, f16, bf16, i8_rows, i16_rows, q4_0, q4_1, q5_0, q5_1, q8_0 };
inline constexpr std::array<std::string_view, 10> kDTypeNames{
    "f32", "f16", "bf16", "int8", "int16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0"};

std::string_view dtype_name(DType dtype);
// Whether a tensor of the type has a scale for each of its rows.
constexpr bool has_row_scales(DType dtype) {
  return dtype == DType::i8_rows || dtype == DType::i16_rows;
}

// Extents of the largest tensors in a Whisper model, the weights of its convolutions.
inline constexpr std::size_t kMaxRank = 3;

// One tensor as it lies in the file; bytes and scales live as long as the ModelFile.
struct TensorView {
  DType dtype = DType::f32;
  std::vector<std::size_t> shape;          // outermost first, as openai/whisper prints it
  std::span<const std::byte> bytes;        // row-major
  std::span<const float> row_scales = {};  // has_row_scales(): shape[0] of them
  bool is_mapped = false;                  // of a file's pages, which release() gives back

  std::size_t size() const;  // number of elements
  // Elements of one of shape[0]'s entries.
  std::size_t row_size() const { return shape[0] == 0 ? 0 : size() / shape[0]; }
};

// Writes `tensor` as fp32, row-major; out.size() must be tensor.size().
void dequantize(const TensorView& tensor, std::span<float> out);

// Entries first, first + 1, ... of the outermost extent.
TensorView row_range(const TensorView& tensor, std::size_t first, std::size_t count);

// Drops the pages of a mapped tensor from memory after its last use; pages that it shares with
// another tensor stay. A later read loads them from the file again.
void release(const TensorView& tensor);

}  // namespace wnpu::models
