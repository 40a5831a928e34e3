#include "models/precision.h"

#include <algorithm>
#include <array>
#include <utility>

#include "models/byte_gemm.h"

namespace wnpu::models {
namespace {

constexpr std::array<std::pair<Precision, std::string_view>, 3> kNames = {
    {{Precision::fp32, "fp32"}, {Precision::int16, "int16"}, {Precision::int8, "int8"}}};

}  // namespace

Precision auto_precision() { return has_byte_instructions() ? Precision::int8 : Precision::fp32; }

bool multiplies_bytes(Precision precision) {
  return precision == Precision::int8 && has_byte_instructions();
}

std::string_view precision_name(Precision precision) {
  return std::ranges::find(kNames, precision, [](const auto& n) { return n.first; })->second;
}

std::optional<Precision> parse_precision(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, [](const auto& n) { return n.second; });
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace wnpu::models
