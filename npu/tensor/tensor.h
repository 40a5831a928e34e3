// Shapes, types of operands and errors that the tensor operations have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "npu/tensor/whisper_npu_tensor_types.hpp"

namespace wnpu::npu::ops {

// Operands that make no sense. what() names the call, its sizes, what was expected and found.
struct TensorError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// All sizes but the last together, and the last. Of a tensor that has one.
std::size_t rows_of(const Tensor& tensor);
inline std::size_t columns_of(const Tensor& tensor) { return tensor.shape.back(); }
Tensor zeros(std::vector<std::size_t> shape);
std::string shape_text(std::span<const std::size_t> shape);  // "[2, 3]"

// Types of operands on the array. int8 and int16 have a scale a row of the left operand and a
// column of the right one.
enum class Type { bf16, int8, int16 };
std::string_view type_name(Type type);
std::optional<Type> find_type(std::string_view name);

}  // namespace wnpu::npu::ops
