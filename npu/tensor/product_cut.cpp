#include "npu/tensor/product_cut.h"

#include <algorithm>

#include "npu/core/core_memory.h"
#include "npu/memory/buffer_plan.h"
#include "npu/tensor/core_designs.h"
#include "npu/tensor/tiles.h"

namespace wnpu::npu::ops {
namespace {

constexpr std::size_t kTile = 64;       // rows and columns of the largest tile (core_memory.h)
constexpr std::size_t kBf16Depth = 64;  // of a tile of 8 KB
constexpr std::size_t kInt8Depth = 128;
// Sums of more products of int8 may be beyond int32 (kernel/tile_kernels.h).
constexpr std::size_t kInt8Most = 131072 - kInt8Depth;

std::size_t most_depth(bool is_int8) {
  return is_int8 ? kInt8Most : kBf16Depth * (kMostInHeader - 1);
}

// Tiles no larger than what there is, in steps that the kernels take (ops/core_kernels.cpp).
std::size_t tile_size(std::size_t size, std::size_t cores, std::size_t step) {
  return std::min(kTile, round_up(div_up(size, cores), step));
}

// Halves `size`, in multiples of `unit`; false where that is one unit.
bool halve(std::size_t& size, std::size_t unit) {
  if (size <= unit) return false;
  size = round_up(size / 2, unit);
  return true;
}

// Makes the largest argument smaller; the depth, which changes bits, only where nothing else does.
bool make_smaller(const Target& target, GemmProblem& call) {
  const std::size_t m_unit = call.tile_m * static_cast<std::size_t>(target.core_rows);
  const std::size_t n_unit = call.tile_n * static_cast<std::size_t>(target.columns);
  const ProductBytes bytes = bytes_of(call);
  if (bytes.a >= bytes.b) {
    if (halve(call.m, m_unit) || halve(call.n, n_unit)) return true;
  } else if (halve(call.n, n_unit) || halve(call.m, m_unit)) {
    return true;
  }
  return halve(call.k, call.tile_k);
}

}  // namespace

std::size_t ProductCut::m_parts() const { return div_up(sizes.m, call.m); }
std::size_t ProductCut::k_parts() const { return div_up(sizes.k, call.k); }
std::size_t ProductCut::n_parts() const { return div_up(sizes.n, call.n); }

ProductBytes bytes_of(const GemmProblem& p) {
  const std::size_t element = p.is_int8 ? 1 : 2;
  const std::size_t scales = p.is_int8 ? p.m * sizeof(float) : 0;
  const std::size_t blocks = p.n / p.tile_n;  // each has an element of parameters
  ProductBytes bytes{p.m * p.k * element + scales, blocks * p.tile_n * (p.k + p.tile_k) * element,
                     p.m * p.n * 2, 0};
  if (p.has_residual) bytes.x = bytes.c;
  return bytes;
}

ProductCut cut_product(const Target& target, ProductSizes sizes, ProductKind kind,
                       std::optional<std::size_t> memory_limit, const std::string& work) {
  const auto rows = static_cast<std::size_t>(target.core_rows);
  const auto columns = static_cast<std::size_t>(target.columns);
  ProductCut cut{{}, sizes};
  GemmProblem& call = cut.call;
  call.is_int8 = kind.is_int8;
  call.has_residual = kind.has_residual;
  call.tile_m = tile_size(sizes.m, rows, 8);
  call.tile_n = tile_size(sizes.n, columns, kind.is_int8 ? 16 : 8);
  call.tile_k = kind.is_int8 ? kInt8Depth : kBf16Depth;
  // A block of rows is a phase; a block of columns a result of each core.
  call.m = std::min(round_up(sizes.m, call.tile_m * rows), kMaxPhases * call.tile_m * rows);
  const std::size_t m_blocks = call.m / (call.tile_m * rows);
  call.n = std::min(round_up(sizes.n, call.tile_n * columns),
                    kMostOuter / m_blocks * call.tile_n * columns);
  call.k = std::min(round_up(sizes.k, call.tile_k), most_depth(kind.is_int8));
  std::size_t bytes = bytes_of(call).all();
  while (memory_limit && bytes > *memory_limit && make_smaller(target, call)) {
    bytes = bytes_of(call).all();
  }
  require_memory(memory_limit, bytes, work);
  return cut;
}

}  // namespace wnpu::npu::ops
