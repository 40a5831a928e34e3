// Operators' tile kernels for AVX2. Everything of the standard library and of other folders is
// included before the compiler's target changes: an inline function compiled for AVX2 that the
// linker shares with the rest of the program would crash an older machine.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "npu/kernel/bf16.h"
#include "npu/kernel/op_counts.h"
#include "npu/kernel/tile_shapes.h"
#include "npu/ops/tile/operator_kernels.h"

namespace wnpu::npu::kernel {
namespace {
const OperatorKernels* table_of_target();
}

const OperatorKernels* avx2_operator_kernels() {
  return __builtin_cpu_supports("avx2") ? table_of_target() : nullptr;
}

}  // namespace wnpu::npu::kernel

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define WNPU_TILE_TARGET avx2
#define WNPU_TILE_BYTES 32
#include "npu/ops/tile/operator_table.h"

namespace wnpu::npu::kernel {
namespace {

const OperatorKernels* table_of_target() {
  static const OperatorKernels kTable = table_of_operators();
  return &kTable;
}

}  // namespace
}  // namespace wnpu::npu::kernel

#ifdef __clang__
#pragma clang attribute pop
#endif
