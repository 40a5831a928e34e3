#include "models/weights/precision.h"

#include <algorithm>

#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::models {

Precision auto_precision() {
  const kernels::InstructionSet set = kernels::instruction_set();
  const bool is_unmeasured =
      set == kernels::InstructionSet::neon || set == kernels::InstructionSet::scalar;
  return is_unmeasured ? Precision::fp32 : Precision::int8;
}

bool multiplies_bytes(Precision precision) {
  return precision == Precision::int8 && kernels::has_byte_products();
}

kernels::DataType number_of(Precision precision) {
  if (precision == Precision::fp32) return kernels::DataType::f32;
  if (precision == Precision::int16) return kernels::DataType::i16;
  return multiplies_bytes(precision) ? kernels::DataType::u8 : kernels::DataType::i8;
}

kernels::DataType stem_number_of(Precision precision) {
  if (precision != Precision::int8) return kernels::DataType::f32;
  return kernels::has_bf16_instructions() ? kernels::DataType::bf16 : kernels::DataType::i16;
}

kernels::DataType first_number_of(Precision precision) {
  return multiplies_bytes(precision) ? kernels::DataType::i16 : number_of(precision);
}

kernels::DataType step_number_of(Precision precision) {
  if (precision == Precision::fp32) return kernels::DataType::f16;
  return precision == Precision::int16 ? kernels::DataType::i16 : kernels::DataType::i8;
}

std::string_view precision_name(Precision precision) {
  return kPrecisionNames[static_cast<std::size_t>(precision)];
}

std::optional<Precision> parse_precision(std::string_view name) {
  const auto* const found = std::ranges::find(kPrecisionNames, name);
  if (found == kPrecisionNames.end()) return std::nullopt;
  return static_cast<Precision>(found - kPrecisionNames.begin());
}

}  // namespace wnpu::models
