#include "npu/tensor/operands.h"

#include <algorithm>
#include <cmath>

#include "npu/tensor/tiles.h"

namespace wnpu::npu::ops {
namespace {

template <typename To, typename From, typename Convert>
ProductOperand<To> converted(const ProductOperand<From>& from, Convert convert) {
  ProductOperand<To> to{from.rows, from.columns, {}, from.scales, from.exponent};
  to.values.reserve(from.values.size());
  for (const From value : from.values) to.values.push_back(convert(value));
  return to;
}

// Largest magnitude in each row or column.
std::vector<float> largest_in(const Tensor& tensor, Side side, const std::string& where) {
  const std::size_t columns = columns_of(tensor);
  std::vector<float> largest(side == Side::left ? rows_of(tensor) : columns);
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const float value = tensor.values[i];
    if (!std::isfinite(value)) {
      throw TensorError(
          where + ": expected finite values, since a scale is made of the largest, found " +
          std::to_string(value) + " at " + shape_text(std::vector{i / columns, i % columns}));
    }
    float& most = largest[side == Side::left ? i / columns : i % columns];
    most = std::max(most, std::abs(value));
  }
  return largest;
}

}  // namespace

Bf16Operand as_bf16_operand(const Tensor& tensor) {
  Bf16Operand operand{rows_of(tensor), columns_of(tensor), {}};
  operand.values.reserve(tensor.values.size());
  for (const float value : tensor.values) operand.values.push_back(to_bfloat16(value));
  return operand;
}

Quantised quantise(const Tensor& tensor, Side side, std::int32_t levels, const std::string& where) {
  Quantised quantised{{rows_of(tensor), columns_of(tensor), {}}, side};
  ProductOperand<std::int32_t>& whole = quantised.whole;
  whole.scales = largest_in(tensor, side, where);
  std::frexp(*std::ranges::max_element(whole.scales), &whole.exponent);
  const double unit = std::ldexp(1.0, whole.exponent);
  for (float& scale : whole.scales) scale = static_cast<float>(scale / unit / levels);
  const std::size_t columns = columns_of(tensor);
  whole.values.reserve(tensor.values.size());
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const double scale = unit * whole.scales[side == Side::left ? i / columns : i % columns];
    const double value = scale > 0 ? std::nearbyint(tensor.values[i] / scale) : 0;
    const double most = levels;
    whole.values.push_back(static_cast<std::int32_t>(std::clamp(value, -most, most)));
  }
  return quantised;
}

Int8Operand as_int8(const Quantised& quantised) {
  return converted<std::int8_t>(quantised.whole,
                                [](std::int32_t q) { return static_cast<std::int8_t>(q); });
}

Halves split(const Quantised& quantised) {
  const auto low = [](std::int32_t q) { return ((q + 128) & 255) - 128; };
  Halves halves;
  halves.low = converted<std::int8_t>(
      quantised.whole, [&](std::int32_t q) { return static_cast<std::int8_t>(low(q)); });
  halves.high = converted<std::int8_t>(quantised.whole, [&](std::int32_t q) {
    return static_cast<std::int8_t>((q - low(q)) / 256);
  });
  for (float& scale : halves.high.scales) scale *= 256;
  return halves;
}

}  // namespace wnpu::npu::ops
