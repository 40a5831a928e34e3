// The kernel table `counted`: issue bounds (npu/kernel/issue_limits.h) of the tile kernels at the
// sizes of the layer designs, from the instructions that the counting target of npu/kernel/ counts.
#pragma once

#include "npu/design/kernel_table.h"

namespace wnpu::npu {

// Made at the first call, in some milliseconds. Each rate's source gives the counts it comes from.
const KernelTable& counted_kernel_table();

}  // namespace wnpu::npu
