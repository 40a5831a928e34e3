// In what numbers the CPU computes.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "models/kernels/operands/packed_b.h"

namespace wnpu::models {

// fp32: weights as they came, sums in fp32: the reference, openai-whisper's text.
// int16: weights and what they are multiplied by in 12 to 15 bits.
// int8: weights in 8 bits, half the memory. What they are multiplied by has 16 in a decoder's step;
// elsewhere, where products of bytes are faster (VNNI, AVX2, ARM's sdot), it has 8 or 7 as well,
// and so has the encoder's attention.
enum class Precision { fp32, int16, int8 };
inline constexpr std::array<std::string_view, 3> kPrecisionNames{"fp32", "int16", "int8"};

// Default precision: int8 where it is known to be faster, else fp32: on ARM without sdot, and in
// plain C++ (models/README.md).
Precision auto_precision();

// Whether products are of bytes: int8, where those are faster.
bool multiplies_bytes(Precision precision);

// In what numbers a layer's weights are: of the encoder, and of the decoder's for a window's keys
// and values.
kernels::DataType number_of(Precision precision);
// Numbers of the stem's convolutions.
kernels::DataType stem_number_of(Precision precision);
// Numbers of attention's products in the encoder's first layer. Its inputs differ most in size, and
// rounding them to 8 bits loses more than in all other layers together: they have 16.
kernels::DataType first_number_of(Precision precision);
// Numbers of the decoder's other layers, which a step of few rows reads. In int8 words are lost
// where their inputs have 8 bits, and a step that waits for its weights is as fast with 16. In
// fp32, weights that are fp16 numbers are kept as such.
kernels::DataType step_number_of(Precision precision);

std::string_view precision_name(Precision precision);
std::optional<Precision> parse_precision(std::string_view name);

}  // namespace wnpu::models
