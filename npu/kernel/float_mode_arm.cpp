#include "npu/kernel/tile_kernels.h"

namespace wnpu::npu::kernel {
namespace {

std::uint64_t float_control() {
  std::uint64_t value = 0;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}

void set_float_control(std::uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }

}  // namespace

// FPCR bit 24 FZ: operands and results (Arm ARM, FPCR); all others 0: to nearest, no traps. A
// result that rounding would make the least normal number is flushed here and is not on x86.
ArrayFloatMode::ArrayFloatMode() : saved_(float_control()) { set_float_control(1U << 24U); }
ArrayFloatMode::~ArrayFloatMode() { set_float_control(saved_); }

}  // namespace wnpu::npu::kernel
