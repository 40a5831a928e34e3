// Operators' tile kernels for the instruction set that everything is compiled for, and which of the
// tables runs here.
#define WNPU_TILE_TARGET baseline
#define WNPU_TILE_BYTES 16
#include "npu/ops/tile/operator_table.h"

namespace wnpu::npu::kernel {

const OperatorKernels* baseline_operator_kernels() {
  static const OperatorKernels kTable = table_of_operators();
  return &kTable;
}

const OperatorKernels& operator_kernels() {
  static const OperatorKernels& chosen =
      avx2_operator_kernels() ? *avx2_operator_kernels() : *baseline_operator_kernels();
  return chosen;
}

}  // namespace wnpu::npu::kernel
