#include "bench/core/calibration_kernels.h"
#include "models/kernels/products/amx_registers.h"

namespace wnpu::bench::yardstick {

// Four sums of 16 x 16, of 16 rows of 64 bytes each. A sixteenth of the rounds, for one of its
// products takes about as long as sixteen of a vector's.
double amx_multiply_add(std::size_t rounds) {
  constexpr double kOperations = 2.0 * 16 * 16 * 64;
  const kernels::AmxRegisters registers;
  asm volatile("tilezero %%tmm4\n\ttilezero %%tmm5" : :);
  rounds /= 16;
  for (std::size_t i = 0; i < rounds; ++i) {
    asm volatile(
        "tdpbusd %%tmm5, %%tmm4, %%tmm0\n\t"
        "tdpbusd %%tmm5, %%tmm4, %%tmm1\n\t"
        "tdpbusd %%tmm5, %%tmm4, %%tmm2\n\t"
        "tdpbusd %%tmm5, %%tmm4, %%tmm3"
        :
        :);
  }
  return 4 * kOperations * static_cast<double>(rounds);
}

}  // namespace wnpu::bench::yardstick
