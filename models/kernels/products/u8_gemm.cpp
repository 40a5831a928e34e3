// Products of bytes and of bf16 (models/kernels/operands/u8_matrix.h, bf16_matrix.h): four and two
// terms an instruction where the CPU has VNNI, AVX512-BF16 or ARM's sdot, whole tiles of
// bytes where it has AMX; plain loops elsewhere, which are for tests.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/kernels/operands/bf16_matrix.h"
#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/products/amx_registers.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/products/gemm_of_number.h"
#include "models/kernels/vectors/instruction_set.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/products/u8_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
#include "models/kernels/products/vnni-inl.h"
#include "models/kernels/products/gemm_tile-inl.h"
#include "models/kernels/products/gemm_panels-inl.h"
#if HWY_TARGET <= HWY_AVX2
#include "models/kernels/products/u8_tile-inl.h"
#include "models/kernels/products/u8_scores-inl.h"
#if HWY_TARGET == HWY_AVX3_DL
#include "models/kernels/products/amx_tile-inl.h"
#endif
#elif HWY_TARGET == HWY_NEON
#include "models/kernels/products/u8_tile_neon-inl.h"
#include "models/kernels/products/u8_scores-inl.h"
#endif
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX2 || HWY_TARGET == HWY_NEON

using ScoresTile = void (*)(const LeftRows<U8Quad>&, const std::int8_t*, std::size_t,
                            const ScoresOut&);

template <typename Terms, std::size_t... kRowsMinus1>
constexpr auto scores_tiles(std::index_sequence<kRowsMinus1...> /*rows*/) {
  return std::array<ScoresTile, kMaxRows>{&tile<Terms, kRowsMinus1 + 1, 1, ScoresOut>...};
}

template <typename Terms = ByteTerms>
void score_panels(const U8Rows& a, const U8Matrix& b, ScoreRows& scores,
                  TallTiles<ScoresTile> tall) {
  static constexpr auto kTiles = scores_tiles<Terms>(std::make_index_sequence<kMaxRows>());
  for (std::size_t panel = 0; panel < b.n_panels(); ++panel) {
    const std::size_t col = panel * b.panel_cols();
    for (std::size_t row = 0; row < a.n_rows();) {
      const ScoresOut out{scores.row(row) + col,        scores.stride(),
                          b.scales().data() + col,      b.sums().data() + col,
                          scores.shifts().data() + row, std::min(b.panel_cols(), b.n() - col)};
      const auto [rows, tile] = tile_for(a.n_rows() - row, tall, kTiles);
      tile({a.row(row), a.stride(), b.n_steps(), a.scales().data() + row, a.offsets().data() + row},
           reinterpret_cast<const std::int8_t*>(b.panel(panel)), b.panel_bytes(), out);
      row += rows;
    }
  }
}

#endif

#if HWY_TARGET == HWY_AVX3_DL

constexpr std::array<RowsAndTile<Tile<ByteTerms>>, 2> kAmxTiles = {
    {{2 * kAmxRows, &amx_tile<2>}, {kAmxRows, &amx_tile<1>}}};

bool u8_gemm(const Product& product, MatrixView c, const ProductShare& share) {
  if (has_amx_instructions() && share.rows >= kAmxRows) {
    const AmxRegisters registers;
    multiply<ByteTerms>(product, c, share, kAmxTiles);
  } else {
    multiply<ByteTerms>(product, c, share);
  }
  return true;
}

constexpr std::array<RowsAndTile<ScoresTile>, 2> kAmxScoresTiles = {
    {{2 * kAmxRows, &amx_tile<2, ScoresOut>}, {kAmxRows, &amx_tile<1, ScoresOut>}}};

bool score_gemm(const U8Rows& a, const U8Matrix& b, ScoreRows& scores) {
  if (has_amx_instructions() && a.n_rows() >= kAmxRows) {
    const AmxRegisters registers;
    score_panels(a, b, scores, kAmxScoresTiles);
  } else {
    score_panels(a, b, scores, {});
  }
  return true;
}

#elif HWY_TARGET == HWY_AVX2

// Rows whose sums fit into the registers, beside four vectors of b, two of a and two of products.
constexpr std::size_t kSevenBitRows = 4;
constexpr std::array<RowsAndTile<Tile<SevenBitTerms>>, 1> kSevenBitTiles = {
    {{kSevenBitRows, &tile<SevenBitTerms, kSevenBitRows, 1>}}};
constexpr std::array<RowsAndTile<ScoresTile>, 1> kSevenBitScoresTiles = {
    {{kSevenBitRows, &tile<SevenBitTerms, kSevenBitRows, 1, ScoresOut>}}};

bool u8_gemm(const Product& product, MatrixView c, const ProductShare& share) {
  if (has_byte_instructions()) {
    multiply<ByteTerms>(product, c, share);
  } else {
    multiply<SevenBitTerms>(product, c, share, kSevenBitTiles);
  }
  return true;
}

bool score_gemm(const U8Rows& a, const U8Matrix& b, ScoreRows& scores) {
  if (has_byte_instructions()) {
    score_panels(a, b, scores, {});
  } else {
    score_panels<SevenBitTerms>(a, b, scores, kSevenBitScoresTiles);
  }
  return true;
}

#elif HWY_TARGET <= HWY_AVX2 || HWY_TARGET == HWY_NEON

bool u8_gemm(const Product& product, MatrixView c, const ProductShare& share) {
  if (!has_byte_instructions()) return false;
  multiply<ByteTerms>(product, c, share);
  return true;
}
bool score_gemm(const U8Rows& a, const U8Matrix& b, ScoreRows& scores) {
  if (!has_byte_instructions()) return false;
  score_panels(a, b, scores, {});
  return true;
}

#else  // left to the plain loops

bool u8_gemm(const Product& /*product*/, MatrixView /*c*/, const ProductShare& /*share*/) {
  return false;
}
bool score_gemm(const U8Rows& /*a*/, const U8Matrix& /*b*/, ScoreRows& /*scores*/) { return false; }

#endif

#if HWY_TARGET <= HWY_AVX3

bool bf16_gemm(const Product& product, MatrixView c, const ProductShare& share) {
  if (!has_bf16_instructions()) return false;
  multiply<Bf16Terms>(product, c, share);
  return true;
}

#else

bool bf16_gemm(const Product& /*product*/, MatrixView /*c*/, const ProductShare& /*share*/) {
  return false;
}

#endif

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {
namespace {

HWY_EXPORT(u8_gemm);
HWY_EXPORT(score_gemm);
HWY_EXPORT(bf16_gemm);

// Products and scores in plain C++, for CPUs without such instructions.

// The steps of a row, and those of a column: the first; the others lie a panel's columns apart.
template <typename Step>
const Step* row_of(const PackedA& a, std::size_t row) {
  return reinterpret_cast<const Step*>(a.data + row * a.stride);
}
template <typename Step>
const Step* column_of(const PackedB& b, std::size_t col) {
  return reinterpret_cast<const Step*>(b.panel(col / b.panel_cols())) + col % b.panel_cols();
}

struct SignedQuad {
  std::int8_t q[4];
};

float u8_sum(const PackedA& a, std::size_t row, const PackedB& b, std::size_t col) {
  const auto* x = row_of<U8Quad>(a, row);
  const auto* w = column_of<SignedQuad>(b, col);
  std::int32_t sum = 0;
  for (std::size_t k = 0; k < b.n_steps(); ++k) {
    for (std::size_t i = 0; i < 4; ++i) sum += x[k].q[i] * w[k * b.panel_cols()].q[i];
  }
  const float offset = a.offsets[row] * b.sums()[col];
  return (static_cast<float>(sum) * a.scales[row] + offset) * b.scales()[col];
}

float widen(std::uint16_t bf16) { return std::bit_cast<float>(std::uint32_t{bf16} << 16U); }

float bf16_sum(const PackedA& a, std::size_t row, const PackedB& b, std::size_t col) {
  const auto* x = row_of<Bf16Pair>(a, row);
  const auto* w = column_of<Bf16Pair>(b, col);
  float sum = 0;
  for (std::size_t k = 0; k < b.n_steps(); ++k, w += b.panel_cols())
    sum += widen(x[k].q[0]) * widen(w->q[0]) + widen(x[k].q[1]) * widen(w->q[1]);
  return sum;
}

float finished(float y, Finish finish, float before) {
  if (finish == Finish::gelu) return y * 0.5F * (1.0F + std::erf(y * 0.70710678F));
  return finish == Finish::add ? before + y : y;
}

template <typename Sum>
void plain_gemm(const Product& p, MatrixView c, const ProductShare& share, const Sum& sum_of) {
  const std::size_t first = share.first_panel * p.b.panel_cols();
  const std::size_t end = std::min(c.cols, first + share.panels * p.b.panel_cols());
  for (std::size_t r = share.first_row; r < share.first_row + share.rows; ++r) {
    for (std::size_t col = first; col < end; ++col) {
      const float bias = p.bias.empty() ? 0.0F : p.bias[col];
      c.row(r)[col] = finished(sum_of(p.a, r, p.b, col) + bias, p.finish, c.row(r)[col]);
    }
  }
}

void plain_scores(const U8Rows& a, const U8Matrix& b, ScoreRows& scores) {
  using Limits = std::numeric_limits<std::int16_t>;
  for (std::size_t r = 0; r < a.n_rows(); ++r) {
    for (std::size_t col = 0; col < b.n(); ++col) {
      const float score = std::nearbyint(u8_sum(a, r, b, col) - scores.shifts()[r]);
      const bool is_number = score >= Limits::min();  // NaN: the least
      scores.row(r)[col] = is_number
                               ? static_cast<std::int16_t>(std::min<float>(score, Limits::max()))
                               : Limits::min();
    }
  }
}

}  // namespace

void multiply_u8(const Product& product, MatrixView c, const ProductShare& share) {
  if (!HWY_DYNAMIC_DISPATCH(u8_gemm)(product, c, share)) plain_gemm(product, c, share, u8_sum);
}

void multiply_bf16(const Product& product, MatrixView c, const ProductShare& share) {
  if (!HWY_DYNAMIC_DISPATCH(bf16_gemm)(product, c, share)) plain_gemm(product, c, share, bf16_sum);
}

void score(const U8Rows& a, const U8Matrix& b, ScoreRows& scores) {
  assert(a.n_steps() == b.n_steps());
  assert(scores.n_rows() == a.n_rows() && scores.cols() == b.n());
  if (!HWY_DYNAMIC_DISPATCH(score_gemm)(a, b, scores)) plain_scores(a, b, scores);
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
