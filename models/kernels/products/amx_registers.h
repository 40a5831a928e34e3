// The registers of Intel AMX, tmm0 to tmm7: 16 rows of 64 bytes each. For assembler; the compiler
// knows nothing of them.
#pragma once

#include <cstdint>

namespace wnpu::kernels {

// Tile configuration that LDTILECFG loads: all eight tiles at full size (Intel SDM, volume 1,
// chapter 18).
struct alignas(64) AmxConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(AmxConfig) == 64);

// As long as it lives, this thread has the registers. Only where has_amx_instructions()
// (models/kernels/vectors/instruction_set.h).
class AmxRegisters {
 public:
  AmxRegisters() {
    static constexpr AmxConfig kConfig;
    asm volatile("ldtilecfg %0" : : "m"(kConfig));
  }
  ~AmxRegisters() { asm volatile("tilerelease"); }
  AmxRegisters(const AmxRegisters&) = delete;
  AmxRegisters& operator=(const AmxRegisters&) = delete;
};

}  // namespace wnpu::kernels
