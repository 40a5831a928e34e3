// Passes over all weights at load that are worth vector instructions (Highway chooses the
// widest at run time).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wnpu::kernels {

// IEEE 754 binary16 -> binary32, exact, infinities and NaN included.
float widen_f16(std::uint16_t half);
// Halves from 2 * out.size() bytes, which need no alignment, widened likewise.
void widen_f16(std::span<const std::byte> halves, std::span<float> out);

// binary32 -> binary16, rounded to the nearest, ties to even; beyond 65504: infinity. Finite values
// only.
void narrow_f16(std::span<const float> values, std::span<std::uint16_t> out);

// Whether fp16 keeps every one of these finite values.
bool are_f16(std::span<const float> values);

// Whether there is no NaN and no infinity.
bool all_finite(std::span<const float> values);

}  // namespace wnpu::kernels
