// As integer_multiply_add of calibration_kernels.h, with AMX: where
// kernels::has_amx_instructions().
#pragma once

#include <cstddef>

namespace wnpu::bench::yardstick {

// Operations of about as many rounds; 0 on another architecture.
double amx_multiply_add(std::size_t rounds);

}  // namespace wnpu::bench::yardstick
