#include "models/gemm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "models/product_shares.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "models/simd_math-inl.h"
#include "models/gemm_tile-inl.h"
#include "models/gemm_panels-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::models::HWY_NAMESPACE {

struct PanelRange {
  std::size_t first;
  std::size_t count;
};

template <typename B>
void float_panels(const Product& p, MatrixView c, PanelRange panels) {
  const Operands<FloatTerms<B>> operands{{p.a.data, p.a.stride, p.a.cols, nullptr, nullptr},
                                         reinterpret_cast<const B*>(p.b.panel(0)),
                                         p.b.k() * p.b.panel_cols(),
                                         nullptr,
                                         p.bias.empty() ? nullptr : p.bias.data(),
                                         p.finish};
  Panels<FloatTerms<B>>(operands, c).run(panels.first, panels.count);
}

void gemm_panels(const Product& product, MatrixView c, std::size_t first, std::size_t count) {
  if (product.b.storage() == Storage::fp32) {
    float_panels<float>(product, c, {first, count});
  } else {
    float_panels<hwy::float16_t>(product, c, {first, count});
  }
}

template <typename B>
void integer_panels(const IntegerProduct& p, MatrixView c, PanelRange panels) {
  const Operands<IntegerTerms<B>> operands{
      {p.a.row(p.first_row).data(), p.a.stride(), p.b.n_pairs(), p.a.scales().data() + p.first_row,
       nullptr},
      reinterpret_cast<const B*>(p.b.panel(0)),
      2 * p.b.n_pairs() * p.b.panel_cols(),
      p.b.scale_of() == ScaleOf::column ? p.b.scales().data() : nullptr,
      p.bias.empty() ? nullptr : p.bias.data(),
      p.finish};
  Panels<IntegerTerms<B>>(operands, c).run(panels.first, panels.count);
}

void integer_gemm_panels(const IntegerProduct& product, MatrixView c, std::size_t first,
                         std::size_t count) {
  if (product.b.width() == IntegerWidth::int16) {
    integer_panels<std::int16_t>(product, c, {first, count});
  } else {
    integer_panels<std::int8_t>(product, c, {first, count});
  }
}

std::size_t panel_cols() { return 2 * hn::Lanes(Float()); }

}  // namespace wnpu::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::models {
namespace {

HWY_EXPORT(gemm_panels);
HWY_EXPORT(integer_gemm_panels);
HWY_EXPORT(panel_cols);

void check_shapes([[maybe_unused]] const Product& p, [[maybe_unused]] MatrixView c) {
  assert(p.a.cols == p.b.k() && p.a.rows == c.rows && c.cols == p.b.n());
  assert(p.bias.empty() || p.bias.size() == p.b.n());
}

void check_shapes([[maybe_unused]] const IntegerProduct& p, [[maybe_unused]] MatrixView c) {
  assert(p.a.n_pairs() == p.b.n_pairs() && p.first_row + c.rows <= p.a.n_rows());
  assert(c.cols == p.b.n() && (p.bias.empty() || p.bias.size() == p.b.n()));
}

}  // namespace

void gemm(const Product& product, MatrixView c) {
  check_shapes(product, c);
  HWY_DYNAMIC_DISPATCH(gemm_panels)(product, c, 0, product.b.n_panels());
}

void gemm(ThreadPool& pool, const Product& product, MatrixView c) {
  check_shapes(product, c);
  for_each_share(pool, c.rows, product.b.n_panels(), [&](const ProductShare& share) {
    Product part = product;
    part.a = product.a.row_range(share.first_row, share.rows);
    HWY_DYNAMIC_DISPATCH(gemm_panels)
    (part, c.row_range(share.first_row, share.rows), share.first_panel, share.panels);
  });
}

void gemm(const IntegerProduct& product, MatrixView c) {
  check_shapes(product, c);
  HWY_DYNAMIC_DISPATCH(integer_gemm_panels)(product, c, 0, product.b.n_panels());
}

void gemm(ThreadPool& pool, const IntegerProduct& product, MatrixView c) {
  check_shapes(product, c);
  for_each_share(pool, c.rows, product.b.n_panels(), [&](const ProductShare& share) {
    IntegerProduct part = product;
    part.first_row += share.first_row;
    HWY_DYNAMIC_DISPATCH(integer_gemm_panels)
    (part, c.row_range(share.first_row, share.rows), share.first_panel, share.panels);
  });
}

std::size_t gemm_panel_cols() { return HWY_DYNAMIC_DISPATCH(panel_cols)(); }

}  // namespace wnpu::models
#endif  // HWY_ONCE
