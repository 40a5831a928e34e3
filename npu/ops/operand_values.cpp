#include "npu/ops/operand_values.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "npu/kernel/bf16.h"

namespace wnpu::npu {
namespace {

constexpr std::size_t kVectorBytes = 64;

template <typename T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof(value));
}
template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? 0.0f : value; }

}  // namespace

OperandBuffer::OperandBuffer(const Operand& operand, const Sizes& sizes)
    : type_(operand.type),
      elements_(operand.elements(sizes)),
      columns_(operand.n_columns(sizes)),
      tile_rows_(operand.tile_rows),
      tile_columns_(operand.tile_columns),
      storage_((operand.bytes(sizes) + 2 * kVectorBytes) / 8, ~std::uint64_t{0}) {
  void* address = storage_.data();
  std::size_t room = storage_.size() * 8;
  data_ = static_cast<std::byte*>(std::align(kVectorBytes, operand.bytes(sizes), address, room));
}

std::size_t OperandBuffer::place_of(std::size_t at) const {
  const std::size_t r = at / columns_;
  const std::size_t c = at % columns_;
  const std::size_t tile = (r / tile_rows_) * (columns_ / tile_columns_) + c / tile_columns_;
  return tile * tile_rows_ * tile_columns_ + (r % tile_rows_) * tile_columns_ + c % tile_columns_;
}

void OperandBuffer::set(std::size_t at, double value) {
  std::byte* const place = data_ + place_of(at) * bytes_of(type_);
  const auto number = static_cast<float>(value);
  switch (type_) {
    case ElementType::float32:
      return store(place, number);
    case ElementType::bfloat16:
      if (std::fpclassify(number) == FP_SUBNORMAL) {
        return store(place, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16));
      }
      return store(place, to_bfloat16(number).bits);
    case ElementType::int8:
      return store(place, static_cast<std::int8_t>(value));
    case ElementType::int32:
      return store(place, static_cast<std::int32_t>(value));
  }
}

double OperandBuffer::get(std::size_t at) const {
  const std::byte* const place = data_ + place_of(at) * bytes_of(type_);
  switch (type_) {
    case ElementType::float32:
      return flushed(load<float>(place));
    case ElementType::bfloat16:
      return to_float(load<bfloat16>(place));
    case ElementType::int8:
      return load<std::int8_t>(place);
    case ElementType::int32:
      return load<std::int32_t>(place);
  }
  return 0;
}

double half_step(ElementType type, double value) {
  if (type == ElementType::int8) return 0.5;
  if (type == ElementType::int32 || value == 0 || !std::isfinite(value)) return 0;
  return std::ldexp(1.0, std::ilogb(value) - (type == ElementType::bfloat16 ? 8 : 24));
}

double largest_of(ElementType type) {
  return type == ElementType::bfloat16 ? 0x1.fep127 : std::numeric_limits<float>::max();
}

CallArrays::CallArrays(std::vector<const void*> inputs, std::vector<void*> outputs,
                       std::vector<double*> magnitudes)
    : inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      magnitudes_(std::move(magnitudes)) {}

OperatorCall CallArrays::call(const Sizes& sizes, std::span<const double> attributes) const {
  return {sizeof(OperatorCall), sizes.data(),
          attributes.data(),    inputs_.data(),
          outputs_.data(),      magnitudes_.empty() ? nullptr : magnitudes_.data()};
}

}  // namespace wnpu::npu
