// Operators' tile kernels that count what a core would issue: kernel/op_counts.h.
#define WNPU_TILE_TARGET counting
#define WNPU_TILE_BYTES 16
#define WNPU_TILE_COUNTS
#include "npu/ops/tile/operator_table.h"

namespace wnpu::npu::kernel {

const OperatorKernels& counting_operator_kernels() {
  static const OperatorKernels kTable = table_of_operators();
  return kTable;
}

}  // namespace wnpu::npu::kernel
