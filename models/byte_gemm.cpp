#include "models/byte_gemm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/amx_registers.h"
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
#if HWY_TARGET == HWY_AVX3_DL
#include "models/byte_tile-inl.h"
#include "models/amx_tile-inl.h"
#endif
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::models::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

constexpr std::array<RowsAndTile<Tile<ByteTerms>>, 2> kAmxTiles = {
    {{2 * kAmxRows, &amx_tile<2>}, {kAmxRows, &amx_tile<1>}}};

bool byte_gemm(const ByteProduct& p, MatrixView c, std::size_t first_panel, std::size_t n_panels,
               bool amx) {
  Operands<ByteTerms> operands{
      {p.a.row(p.first_row), p.a.stride(), p.b.n_quads(), p.a.scales().data() + p.first_row,
       p.a.offsets().data() + p.first_row},
      p.b.panel(0),
      p.b.panel_bytes(),
      p.b.scales().data(),
      p.bias.empty() ? nullptr : p.bias.data(),
      p.finish,
      p.b.sums().data()};
  if (amx && c.rows >= kAmxRows) {
    const AmxRegisters registers;
    operands.tall = kAmxTiles;
    Panels<ByteTerms>(operands, c).run(first_panel, n_panels);
  } else {
    Panels<ByteTerms>(operands, c).run(first_panel, n_panels);
  }
  return true;
}

using ScoresTile = void (*)(const LeftRows<ByteQuad>&, const std::int8_t*, std::size_t,
                            const ScoresOut&);

template <std::size_t... kRowsMinus1>
constexpr auto scores_tiles(std::index_sequence<kRowsMinus1...> /*rows*/) {
  return std::array<ScoresTile, kMaxRows>{&tile<ByteTerms, kRowsMinus1 + 1, 1, ScoresOut>...};
}

constexpr std::array<RowsAndTile<ScoresTile>, 2> kAmxScoresTiles = {
    {{2 * kAmxRows, &amx_tile<2, ScoresOut>}, {kAmxRows, &amx_tile<1, ScoresOut>}}};

void score_panels(const ByteRows& a, const ByteMatrix& b, ScoreRows& scores,
                  TallTiles<ScoresTile> tall) {
  static constexpr auto kTiles = scores_tiles(std::make_index_sequence<kMaxRows>());
  for (std::size_t panel = 0; panel < b.n_panels(); ++panel) {
    const std::size_t col = panel * b.panel_cols();
    for (std::size_t row = 0; row < a.n_rows();) {
      const ScoresOut out{scores.row(row) + col,        scores.stride(),
                          b.scales().data() + col,      b.sums().data() + col,
                          scores.shifts().data() + row, std::min(b.panel_cols(), b.n() - col)};
      const auto [rows, tile] = tile_for(a.n_rows() - row, tall, kTiles);
      tile({a.row(row), a.stride(), b.n_quads(), a.scales().data() + row, a.offsets().data() + row},
           b.panel(panel), b.panel_bytes(), out);
      row += rows;
    }
  }
}

bool score_gemm(const ByteRows& a, const ByteMatrix& b, ScoreRows& scores, bool amx) {
  if (amx && a.n_rows() >= kAmxRows) {
    const AmxRegisters registers;
    score_panels(a, b, scores, kAmxScoresTiles);
  } else {
    score_panels(a, b, scores, {});
  }
  return true;
}

bool bf16_gemm(const Bf16Product& p, MatrixView c) {
  const Operands<Bf16Terms> operands{
      {p.a, p.stride, p.b.n_pairs(), nullptr, nullptr}, p.b.panel(0), p.b.panel_pairs(), nullptr,
      p.bias.empty() ? nullptr : p.bias.data(),         p.finish};
  Panels<Bf16Terms>(operands, c).run(0, p.b.n_panels());
  return true;
}

#else  // left to the plain loops

bool byte_gemm(const ByteProduct& /*product*/, MatrixView /*c*/, std::size_t /*first_panel*/,
               std::size_t /*n_panels*/, bool /*amx*/) {
  return false;
}
bool score_gemm(const ByteRows& /*a*/, const ByteMatrix& /*b*/, ScoreRows& /*scores*/,
                bool /*amx*/) {
  return false;
}
bool bf16_gemm(const Bf16Product& /*product*/, MatrixView /*c*/) { return false; }

#endif

}  // namespace wnpu::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::models {
namespace {

HWY_EXPORT(byte_gemm);
HWY_EXPORT(score_gemm);
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

void plain_gemm(const ByteRows& a, const ByteMatrix& b, ScoreRows& scores) {
  using Limits = std::numeric_limits<std::int16_t>;
  for (std::size_t r = 0; r < a.n_rows(); ++r) {
    for (std::size_t col = 0; col < b.n(); ++col) {
      const float score = std::nearbyint(scaled_sum(a, r, b, col) - scores.shifts()[r]);
      const bool is_number = score >= Limits::min();  // NaN: the least
      scores.row(r)[col] = is_number
                               ? static_cast<std::int16_t>(std::min<float>(score, Limits::max()))
                               : Limits::min();
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
      const float bias = p.bias.empty() ? 0.0F : p.bias[col];
      c.row(r)[col] = finished(sum + bias, p.finish, c.row(r)[col]);
    }
  }
}

}  // namespace

bool has_byte_instructions() { return has_amx_instructions() || instruction_set() == "AVX3_DL"; }

bool has_amx_instructions() { return instruction_set() == kAmx; }

bool has_bf16_instructions() {
  static const bool kCpuHasBf16 = cpu_has_bf16();
  return kCpuHasBf16 && has_byte_instructions();
}

void gemm(const ByteProduct& product, MatrixView c) {
  assert(product.a.n_quads() == product.b.n_quads() && c.cols == product.b.n());
  assert(product.first_row + c.rows <= product.a.n_rows());
  const bool done =
      HWY_DYNAMIC_DISPATCH(byte_gemm)(product, c, 0, product.b.n_panels(), has_amx_instructions());
  if (!done) plain_gemm(product, c);
}

void gemm(ThreadPool& pool, const ByteProduct& product, MatrixView c) {
  assert(product.a.n_quads() == product.b.n_quads() && c.cols == product.b.n());
  assert(product.first_row + c.rows <= product.a.n_rows());
  if (!has_byte_instructions()) return plain_gemm(product, c);
  const bool amx = has_amx_instructions();
  for_each_share(pool, c.rows, product.b.n_panels(), [&](const ProductShare& share) {
    ByteProduct part = product;
    part.first_row += share.first_row;
    HWY_DYNAMIC_DISPATCH(byte_gemm)
    (part, c.row_range(share.first_row, share.rows), share.first_panel, share.panels, amx);
  });
}

void gemm(const ByteRows& a, const ByteMatrix& b, ScoreRows& scores) {
  assert(a.n_quads() == b.n_quads());
  assert(scores.n_rows() == a.n_rows() && scores.cols() == b.n());
  if (!HWY_DYNAMIC_DISPATCH(score_gemm)(a, b, scores, has_amx_instructions()))
    plain_gemm(a, b, scores);
}

void gemm(const Bf16Product& product, MatrixView c) {
  assert(c.cols == product.b.n());
  const bool done = has_bf16_instructions() && HWY_DYNAMIC_DISPATCH(bf16_gemm)(product, c);
  if (!done) plain_gemm(product, c);
}

}  // namespace wnpu::models
#endif  // HWY_ONCE
