// How many bytes a tensor of a type and shape takes, and how messages spell shapes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "models/files/tensor_view.h"

namespace wnpu::models {

// Elements that are stored together, and their bytes: 1 and 4 for f32, 32 and 18 for q4_0.
struct BlockLayout {
  std::size_t elements;
  std::size_t bytes;
};
// Elements in a block of ggml's q types (ggml-common.h QK4_0 and its like).
inline constexpr std::size_t kQuantBlock = 32;
BlockLayout block_layout(DType dtype);

// Product of the extents (1 for a scalar); nothing where it does not fit std::size_t.
std::optional<std::size_t> element_count(std::span<const std::size_t> shape);

// Bytes of such a tensor; nothing where they do not fit std::size_t or where rows are not whole
// blocks.
std::optional<std::size_t> storage_bytes(DType dtype, std::span<const std::size_t> shape);

// "[384, 80, 3]"
std::string shape_text(std::span<const std::size_t> shape);

}  // namespace wnpu::models
