// In what numbers the CPU computes.
#pragma once

#include <optional>
#include <string_view>

namespace wnpu::models {

// fp32: weights as they came, sums in fp32: the reference.
// int16: weights and what they are multiplied by in 12 to 15 bits.
// int8: the same with weights of 8 bits, half the memory.
enum class Precision { fp32, int16, int8 };

// What follows openai-whisper word for word (models/README.md).
constexpr Precision kAutoPrecision = Precision::fp32;

std::string_view precision_name(Precision precision);
std::optional<Precision> parse_precision(std::string_view name);

}  // namespace wnpu::models
