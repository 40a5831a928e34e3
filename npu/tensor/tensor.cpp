#include "npu/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

namespace wnpu::npu::ops {
namespace {

constexpr std::array<std::string_view, 3> kTypeNames{"bf16", "int8", "int16"};

}  // namespace

std::size_t rows_of(const Tensor& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end() - 1, std::size_t{1},
                         std::multiplies<>());
}

Tensor zeros(std::vector<std::size_t> shape) {
  const std::size_t n =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  return {std::move(shape), std::vector<float>(n)};
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text;
  for (const std::size_t size : shape) {
    text += text.empty() ? "[" : ", ";
    text += std::to_string(size);
  }
  return text.empty() ? "[]" : text + "]";
}

std::string_view type_name(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<Type> find_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypeNames, name);
  if (found == kTypeNames.end()) return std::nullopt;
  return static_cast<Type>(found - kTypeNames.begin());
}

}  // namespace wnpu::npu::ops
