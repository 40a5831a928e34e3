#include "models/byte_gemm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

#include "models/instruction_set.h"
#include "models/product_shares.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/byte_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "models/simd_math-inl.h"
#include "models/gemm_tile-inl.h"
#include "models/gemm_panels-inl.h"
// clang-format on
#if HWY_TARGET == HWY_AVX3_DL
#include "models/byte_tile-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::models::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

bool byte_gemm(const ByteProduct& p, MatrixView c, std::size_t first_panel, std::size_t n_panels) {
  const Operands<ByteTerms> operands{
      {p.a.row(p.first_row), p.a.stride(), p.b.n_quads(), p.a.scales().data() + p.first_row,
       p.a.offsets().data() + p.first_row},
      p.b.panel(0),
      p.b.panel_bytes(),
      p.b.scales().data(),
      p.bias.empty() ? nullptr : p.bias.data(),
      p.finish,
      p.b.sums().data()};
  Panels<ByteTerms>(operands, c).run(first_panel, n_panels);
  return true;
}

using WeightsTile = void (*)(const LeftRows<ByteQuad>&, const std::int8_t*, std::size_t,
                             const WeightsOut&);

template <std::size_t... kRowsMinus1>
constexpr auto weights_tiles(std::index_sequence<kRowsMinus1...> /*rows*/) {
  return std::array<WeightsTile, kMaxRows>{&tile<ByteTerms, kRowsMinus1 + 1, 1, WeightsOut>...};
}

bool byte_exp2_gemm(const ByteRows& a, const ByteMatrix& b, SoftmaxWeights& weights) {
  static constexpr auto kTiles = weights_tiles(std::make_index_sequence<kMaxRows>());
  for (std::size_t panel = 0; panel < b.n_panels(); ++panel) {
    const std::size_t col = panel * b.panel_cols();
    for (std::size_t row = 0; row < a.n_rows(); row += kMaxRows) {
      const WeightsOut out{weights.rows().row(row) + col / 2,
                           weights.rows().stride(),
                           b.scales().data() + col,
                           b.sums().data() + col,
                           weights.shifts().data() + row,
                           weights.sum_parts(row),
                           std::min(b.panel_cols(), b.n() - col)};
      const std::size_t rows = std::min(kMaxRows, a.n_rows() - row);
      kTiles[rows - 1](
          {a.row(row), a.stride(), b.n_quads(), a.scales().data() + row, a.offsets().data() + row},
          b.panel(panel), b.panel_bytes(), out);
    }
  }
  return true;
}

bool bf16_gemm(const Bf16Product& p, MatrixView c, std::size_t first_panel, std::size_t n_panels) {
  const Operands<Bf16Terms> operands{
      {p.a, p.stride, p.b.n_pairs(), p.row_scales.empty() ? nullptr : p.row_scales.data(), nullptr},
      p.b.panel(0),
      p.b.panel_pairs(),
      nullptr,
      p.bias.empty() ? nullptr : p.bias.data(),
      p.finish};
  Panels<Bf16Terms>(operands, c).run(first_panel, n_panels);
  return true;
}

#else  // left to the plain loops

bool byte_gemm(const ByteProduct& /*product*/, MatrixView /*c*/, std::size_t /*first_panel*/,
               std::size_t /*n_panels*/) {
  return false;
}
bool byte_exp2_gemm(const ByteRows& /*a*/, const ByteMatrix& /*b*/, SoftmaxWeights& /*weights*/) {
  return false;
}
bool bf16_gemm(const Bf16Product& /*product*/, MatrixView /*c*/, std::size_t /*first_panel*/,
               std::size_t /*n_panels*/) {
  return false;
}

#endif

}  // namespace wnpu::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::models {
namespace {

HWY_EXPORT(byte_gemm);
HWY_EXPORT(byte_exp2_gemm);
HWY_EXPORT(bf16_gemm);

bool cpu_has_bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

// The same in plain C++.

float scaled_sum(const ByteRows& a, std::size_t row, const ByteMatrix& b, std::size_t col) {
  const std::int8_t* at = b.panel(col / b.panel_cols()) + 4 * (col % b.panel_cols());
  std::int32_t sum = 0;
  for (std::size_t k = 0; k < b.n_quads(); ++k, at += 4 * b.panel_cols()) {
    for (std::size_t i = 0; i < 4; ++i) sum += a.row(row)[k].q[i] * at[i];
  }
  const float offset = a.offsets()[row] * b.sums()[col];
  return (static_cast<float>(sum) * a.scales()[row] + offset) * b.scales()[col];
}

float widen(std::uint16_t bf16) { return std::bit_cast<float>(std::uint32_t{bf16} << 16U); }

std::uint16_t narrow(float x) {
  if (std::isinf(x)) return 0x7F80;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

float finished(float y, Finish finish, float before) {
  if (finish == Finish::gelu) return y * 0.5F * (1.0F + std::erf(y * 0.70710678F));
  return finish == Finish::add ? before + y : y;
}

void plain_gemm(const ByteProduct& p, MatrixView c) {
  for (std::size_t r = 0; r < c.rows; ++r) {
    for (std::size_t col = 0; col < c.cols; ++col) {
      const float bias = p.bias.empty() ? 0.0F : p.bias[col];
      const float y = scaled_sum(p.a, p.first_row + r, p.b, col) + bias;
      c.row(r)[col] = finished(y, p.finish, c.row(r)[col]);
    }
  }
}

void plain_exp2_gemm(const ByteRows& a, const ByteMatrix& b, SoftmaxWeights& weights) {
  for (std::size_t r = 0; r < a.n_rows(); ++r) {
    for (std::size_t col = 0; col < b.n(); ++col) {
      const float x = std::exp2(scaled_sum(a, r, b, col) - weights.shifts()[r]);
      Bf16Pair& pair = weights.rows().row(r)[col / 2];
      if (col % 2 == 0) pair = {};
      (col % 2 == 0 ? pair.even : pair.odd) = narrow(x);
      weights.sum_parts(r)[col % SoftmaxWeights::kSumParts] += x;
    }
  }
}

float sum_of(const Bf16Pair* row, const Bf16Matrix& b, std::size_t col) {
  const Bf16Pair* at = b.panel(col / b.panel_cols()) + col % b.panel_cols();
  float sum = 0;
  for (std::size_t k = 0; k < b.n_pairs(); ++k, at += b.panel_cols())
    sum += widen(row[k].even) * widen(at->even) + widen(row[k].odd) * widen(at->odd);
  return sum;
}

void plain_gemm(const Bf16Product& p, MatrixView c) {
  for (std::size_t r = 0; r < c.rows; ++r) {
    for (std::size_t col = 0; col < c.cols; ++col) {
      const float sum = sum_of(p.a + r * p.stride, p.b, col);
      const float scaled = p.row_scales.empty() ? sum : p.row_scales[r] * sum;
      const float bias = p.bias.empty() ? 0.0F : p.bias[col];
      c.row(r)[col] = finished(scaled + bias, p.finish, c.row(r)[col]);
    }
  }
}

}  // namespace

bool has_byte_instructions() {
  static const bool kCpuHasBf16 = cpu_has_bf16();
  return kCpuHasBf16 && instruction_set() == "AVX3_DL";
}

SoftmaxWeights::SoftmaxWeights(std::size_t max_rows, std::size_t max_cols)
    : weights_(max_rows,
               (max_cols + gemm_panel_cols() - 1) / gemm_panel_cols() * gemm_panel_cols()),
      sums_(allocate_aligned<float>(max_rows * kSumParts)),
      shifts_(max_rows) {}

void SoftmaxWeights::reset(std::size_t rows) {
  assert(rows <= shifts_.size());
  n_rows_ = rows;
  std::ranges::fill(shifts_, 0.0F);
  std::fill_n(sums_.get(), rows * kSumParts, 0.0F);
}

float SoftmaxWeights::sum(std::size_t row) const {
  const float* const parts = sums_.get() + row * kSumParts;
  return std::accumulate(parts, parts + kSumParts, 0.0F);
}

void gemm(const ByteProduct& product, MatrixView c) {
  assert(product.a.n_quads() == product.b.n_quads() && c.cols == product.b.n());
  assert(product.first_row + c.rows <= product.a.n_rows());
  if (!HWY_DYNAMIC_DISPATCH(byte_gemm)(product, c, 0, product.b.n_panels())) plain_gemm(product, c);
}

void gemm(ThreadPool& pool, const ByteProduct& product, MatrixView c) {
  assert(product.a.n_quads() == product.b.n_quads() && c.cols == product.b.n());
  assert(product.first_row + c.rows <= product.a.n_rows());
  if (!has_byte_instructions()) return plain_gemm(product, c);
  for_each_share(pool, c.rows, product.b.n_panels(), [&](const ProductShare& share) {
    ByteProduct part = product;
    part.first_row += share.first_row;
    HWY_DYNAMIC_DISPATCH(byte_gemm)
    (part, c.row_range(share.first_row, share.rows), share.first_panel, share.panels);
  });
}

void exp2_gemm(const ByteRows& a, const ByteMatrix& b, SoftmaxWeights& weights) {
  assert(a.n_quads() == b.n_quads() && weights.n_rows() == a.n_rows());
  assert(2 * weights.rows().stride() >= b.n_panels() * b.panel_cols());
  const bool done = has_byte_instructions() && HWY_DYNAMIC_DISPATCH(byte_exp2_gemm)(a, b, weights);
  if (!done) plain_exp2_gemm(a, b, weights);
}

void gemm(const Bf16Product& product, MatrixView c) {
  assert(c.cols == product.b.n());
  const bool done = has_byte_instructions() &&
                    HWY_DYNAMIC_DISPATCH(bf16_gemm)(product, c, 0, product.b.n_panels());
  if (!done) plain_gemm(product, c);
}

void gemm(ThreadPool& pool, const Bf16Product& product, MatrixView c) {
  assert(c.cols == product.b.n());
  if (!has_byte_instructions()) return plain_gemm(product, c);
  for_each_share(pool, c.rows, product.b.n_panels(), [&](const ProductShare& share) {
    Bf16Product part = product;
    part.a += share.first_row * product.stride;
    if (!part.row_scales.empty()) part.row_scales = part.row_scales.subspan(share.first_row);
    HWY_DYNAMIC_DISPATCH(bf16_gemm)
    (part, c.row_range(share.first_row, share.rows), share.first_panel, share.panels);
  });
}

}  // namespace wnpu::models
#endif  // HWY_ONCE
