// 2^x = 2^floor(x) * 2^fraction with x in steps of 1/256: two tables of 256 entries, as the array's
// look-up unit reads them (npu.md 3: getExpBf16 has this shape, for e^x). With base 2 the table of
// whole numbers is exact, which the one for e^x cannot be.
#pragma once

#include <array>
#include <cstdint>

#include "npu/kernel/bf16.h"

namespace wnpu::npu::kernel {

using Exp2Table = std::array<bfloat16, 256>;

// [i] = 2^(i as int8), exact; below the smallest normal bfloat16, 2^-126, zero.
consteval Exp2Table exp2_of_whole() {
  Exp2Table table;
  for (int i = -128; i < 128; ++i) {
    const int biased = i + 127;
    const bool is_normal = biased > 0 && biased < 255;
    table[static_cast<std::uint8_t>(i)] = {static_cast<std::uint16_t>(is_normal ? biased << 7 : 0)};
  }
  return table;
}

// [i] = 2^(i / 256) to nearest.
consteval Exp2Table exp2_of_fraction() {
  constexpr double kStep = 1.0027112750502024854;  // 2^(1/256)
  Exp2Table table;
  double value = 1.0;
  for (auto& entry : table) {
    entry = to_bfloat16(static_cast<float>(value));
    value *= kStep;
  }
  return table;
}

inline constexpr Exp2Table kExp2OfWhole = exp2_of_whole();
inline constexpr Exp2Table kExp2OfFraction = exp2_of_fraction();

}  // namespace wnpu::npu::kernel
