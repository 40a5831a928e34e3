#include "models/kernels/operands/packed_b.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "models/kernels/vectors/blas.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/operands/packed_b.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::size_t panel_cols() { return 2 * hn::Lanes(hn::ScalableTag<float>()); }

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {
namespace {

HWY_EXPORT(panel_cols);

}  // namespace

std::size_t gemm_panel_cols() { return HWY_DYNAMIC_DISPATCH(panel_cols)(); }

PackedB::PackedB(DataType number, std::size_t k, std::size_t n, bool is_one_panel)
    : number_(number),
      step_(step_of(number)),
      k_(k),
      n_(n),
      n_steps_((k + step_.terms - 1) / step_.terms),
      is_one_panel_(is_one_panel),
      panel_cols_(is_one_panel ? std::max<std::size_t>(n, 1) : gemm_panel_cols()) {}

PackedB::PackedB(DataType number, std::size_t k, std::size_t n, models::SharedBlock* block)
    : PackedB(number, k, n, number == DataType::f32 && gemm_in_use() == Gemm::blas) {
  data_ = models::allocate_in(block, size_bytes());
  if (block == nullptr && n_ % panel_cols_ != 0)
    std::memset(data_.get() + (n_panels() - 1) * panel_bytes(), 0, panel_bytes());
}

PackedB::PackedB(StoredSide stored) : PackedB(stored.number, stored.k, stored.n, false) {
  assert(stored.panels.size() == size_bytes());
  scales_ = std::move(stored.scales);
  sums_ = std::move(stored.sums);
  left_limit_ = stored.left_limit;
  if (stored.is_copied) {
    data_ = models::allocate_aligned<std::byte>(size_bytes());
    std::memcpy(data_.get(), stored.panels.data(), stored.panels.size());
    return;
  }
  // Never written to: only the matrices that fill a side of their own do that.
  data_ = {const_cast<std::byte*>(stored.panels.data()), {0, true}};
}

std::size_t PackedB::bytes_of(DataType number, std::size_t k, std::size_t n) {
  return PackedB(number, k, n, false).size_bytes();
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
