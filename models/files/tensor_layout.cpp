#include "models/files/tensor_layout.h"

#include <cassert>

#include "models/base/mapped_file.h"

namespace wnpu::models {

std::string_view dtype_name(DType dtype) { return kDTypeNames[static_cast<std::size_t>(dtype)]; }

BlockLayout block_layout(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return {1, 4};
    case DType::f16:
    case DType::bf16:
    case DType::i16_rows:
      return {1, 2};
    case DType::i8_rows:
      return {1, 1};
    case DType::q4_0:
      return {kQuantBlock, 2 + 16};  // f16 scale, 32 nibbles
    case DType::q4_1:
      return {kQuantBlock, 2 + 2 + 16};  // f16 scale, f16 minimum, 32 nibbles
    case DType::q5_0:
      return {kQuantBlock, 2 + 4 + 16};  // f16 scale, 32 high bits, 32 nibbles
    case DType::q5_1:
      return {kQuantBlock, 2 + 2 + 4 + 16};  // f16 scale and minimum, bits, nibbles
    case DType::q8_0:
      return {kQuantBlock, 2 + 32};  // f16 scale, 32 int8
  }
  return {1, 1};
}

std::optional<std::size_t> element_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

std::optional<std::size_t> storage_bytes(DType dtype, std::span<const std::size_t> shape) {
  const auto count = element_count(shape);
  const BlockLayout block = block_layout(dtype);
  const std::size_t row = shape.empty() ? 1 : shape.back();
  if (!count || row % block.elements != 0) return std::nullopt;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(*count / block.elements, block.bytes, &bytes)) return std::nullopt;
  return bytes;
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "[";
  for (const std::size_t extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + "]";
}

TensorView row_range(const TensorView& tensor, std::size_t first, std::size_t count) {
  assert(first + count <= tensor.shape[0]);
  TensorView part = tensor;
  const std::size_t row_bytes = tensor.bytes.size() / tensor.shape[0];
  part.shape[0] = count;
  part.bytes = tensor.bytes.subspan(first * row_bytes, count * row_bytes);
  if (!tensor.row_scales.empty()) part.row_scales = tensor.row_scales.subspan(first, count);
  return part;
}

void release(const TensorView& tensor) {
  if (tensor.is_mapped) release_pages(tensor.bytes);
}

}  // namespace wnpu::models
