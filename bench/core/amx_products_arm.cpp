#include "bench/core/calibration_kernels.h"

namespace wnpu::bench::yardstick {

double amx_multiply_add(std::size_t /*rounds*/) { return 0; }

}  // namespace wnpu::bench::yardstick
