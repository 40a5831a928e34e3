// As npu/kernel/wider_targets_arm.cpp.
#include "npu/ops/tile/operator_kernels.h"

namespace wnpu::npu::kernel {

const OperatorKernels* avx2_operator_kernels() { return nullptr; }

}  // namespace wnpu::npu::kernel
