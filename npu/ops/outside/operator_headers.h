// Headers of ours that an operator's source may include, as they were when this library was built:
// the C interface and the tile kernels' headers.
#pragma once

#include <vector>

#include "npu/emit/core_sources.h"

namespace wnpu::npu {

std::vector<CoreSource> operator_headers();

}  // namespace wnpu::npu
