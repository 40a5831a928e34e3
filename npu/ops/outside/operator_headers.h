// What an operator's source may include of ours, as it was when this library was built: the C
// interface and the tile kernels' headers.
#pragma once

#include <vector>

#include "npu/emit/core_sources.h"

namespace wnpu::npu {

std::vector<CoreSource> operator_headers();

}  // namespace wnpu::npu
