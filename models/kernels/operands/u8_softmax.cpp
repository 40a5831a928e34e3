#include "models/kernels/operands/u8_softmax.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/operands/u8_softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#ifndef WNPU_KERNELS_U8_SOFTMAX_TABLES_
#define WNPU_KERNELS_U8_SOFTMAX_TABLES_
namespace wnpu::kernels {

constexpr std::int16_t kLeastScore = std::numeric_limits<std::int16_t>::min();
constexpr int kStepsPerPower = static_cast<int>(kScoreSteps);
constexpr int kPowerBits = 7;
static_assert(1 << kPowerBits == kStepsPerPower);

// 255 * 2^(-i / 128).
constexpr std::array<std::uint8_t, kStepsPerPower> make_mantissas() {
  constexpr double kStep = 0.99459942348363317565;  // 2^(-1/128)
  std::array<std::uint8_t, kStepsPerPower> table{};
  double x = 255;
  for (auto& mantissa : table) {
    mantissa = static_cast<std::uint8_t>(x + 0.5);
    x *= kStep;
  }
  return table;
}
alignas(kSoftmaxGroup) constexpr auto kMantissas = make_mantissas();

// 256ths of one to be added at each place, by reversing the bits of the place.
constexpr std::array<std::uint16_t, kSoftmaxGroup> make_dither() {
  std::array<std::uint16_t, kSoftmaxGroup> parts{};
  for (std::size_t place = 0; place < kSoftmaxGroup; ++place) {
    std::size_t reversed = 0;
    for (std::size_t bit = 1; bit < kSoftmaxGroup; bit *= 2)
      reversed = 2 * reversed + ((place & bit) != 0 ? 1 : 0);
    parts[place] = static_cast<std::uint16_t>(4 * reversed + 2);
  }
  return parts;
}
alignas(kSoftmaxGroup) constexpr auto kDither = make_dither();

}  // namespace wnpu::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kWords = 32;  // a vector's

HWY_INLINE std::int16_t largest_lane(__m512i x) {
  const __m256i half = _mm256_max_epi16(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
  const __m128i quarter =
      _mm_max_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  // The largest becomes the least unsigned number, which one instruction finds.
  constexpr int kReversed = 0x7FFF;
  const __m128i least = _mm_minpos_epu16(_mm_xor_si128(quarter, _mm_set1_epi16(kReversed)));
  return static_cast<std::int16_t>(_mm_cvtsi128_si32(least) ^ kReversed);
}

std::int16_t largest_score(const std::int16_t* scores, std::size_t n) {
  __m512i largest = _mm512_set1_epi16(kLeastScore);
  for (std::size_t i = 0; i < n; i += kWords)
    largest = _mm512_max_epi16(largest, _mm512_load_si512(scores + i));
  return largest_lane(largest);
}

// The weights of a vector of scores, in the upper bytes.
HWY_INLINE __m512i weigh(__m512i scores, __m512i largest, const __m512i (&mantissas)[2],
                         __m512i dither) {
  constexpr __mmask64 kUpperBytes = 0xAAAAAAAAAAAAAAAA;
  const __m512i below = _mm512_sub_epi16(largest, scores);
  const __m512i mantissa = _mm512_maskz_permutex2var_epi8(
      kUpperBytes, mantissas[0], _mm512_slli_epi16(below, 8), mantissas[1]);
  const __m512i weight = _mm512_srlv_epi16(mantissa, _mm512_srli_epi16(below, kPowerBits));
  return _mm512_add_epi16(weight, dither);
}

std::int32_t byte_softmax(const std::int16_t* scores, std::size_t n, std::int16_t largest_of_row,
                          std::uint8_t* weights) {
  const __m512i largest = _mm512_set1_epi16(largest_of_row);
  const __m512i mantissas[2] = {_mm512_load_si512(kMantissas.data()),
                                _mm512_load_si512(kMantissas.data() + kSoftmaxGroup)};
  const __m512i dither[2] = {_mm512_load_si512(kDither.data()),
                             _mm512_load_si512(kDither.data() + kWords)};
  alignas(64) static constexpr auto kUpper = [] {
    std::array<std::uint8_t, kSoftmaxGroup> upper{};
    for (std::size_t i = 0; i < upper.size(); ++i) upper[i] = static_cast<std::uint8_t>(2 * i + 1);
    return upper;
  }();
  const __m512i upper = _mm512_load_si512(kUpper.data());
  const __m512i ones = _mm512_set1_epi8(1);
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n; i += kSoftmaxGroup) {
    const __m512i low = weigh(_mm512_load_si512(scores + i), largest, mantissas, dither[0]);
    const __m512i high =
        weigh(_mm512_load_si512(scores + i + kWords), largest, mantissas, dither[1]);
    const __m512i both = _mm512_permutex2var_epi8(low, upper, high);
    _mm512_storeu_si512(weights + i, both);
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(both), "v"(ones));
  }
  return _mm512_reduce_add_epi32(sum);
}

#else  // the same in plain C++: for tests, and on ARM

std::int16_t largest_score(const std::int16_t* scores, std::size_t n) {
  return *std::max_element(scores, scores + n);
}

std::int32_t byte_softmax(const std::int16_t* scores, std::size_t n, std::int16_t largest,
                          std::uint8_t* weights) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int below = largest - scores[i];
    const int power = below / kStepsPerPower;
    const int mantissa = 256 * kMantissas[static_cast<std::size_t>(below % kStepsPerPower)];
    const int weight = power < 16 ? mantissa >> power : 0;
    weights[i] = static_cast<std::uint8_t>((weight + kDither[i % kSoftmaxGroup]) / 256);
    sum += weights[i];
  }
  return sum;
}

#endif

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {
namespace {

HWY_EXPORT(largest_score);
HWY_EXPORT(byte_softmax);

// Scores this far above the least: those that were cut off have a weight of 0 all the same.
constexpr std::int16_t kExactFrom = kLeastScore + 32 * kStepsPerPower;

}  // namespace

ScoreRows::ScoreRows(std::size_t max_rows, std::size_t max_cols)
    : cols_(max_cols),
      stride_(whole_softmax_groups(max_cols)),
      scores_(models::allocate_aligned<std::int16_t>(max_rows * stride_)),
      shifts_(max_rows) {
  std::fill_n(scores_.get(), max_rows * stride_, kLeastScore);
}

void ScoreRows::reset(std::size_t rows) {
  assert(rows <= shifts_.size());
  n_rows_ = rows;
  std::ranges::fill(shifts_, 0.0F);
}

void ScoreRows::raise(std::size_t first_col, float steps) {
  const int more = static_cast<int>(std::lround(steps));
  for (std::size_t r = 0; r < n_rows_; ++r) {
    for (std::int16_t& score : std::span(row(r), cols_).subspan(first_col)) {
      const int raised = std::min<int>(score + more, std::numeric_limits<std::int16_t>::max());
      score = static_cast<std::int16_t>(raised);
    }
  }
}

ByteWeights byte_softmax(const ScoreRows& scores, std::size_t row, std::uint8_t* weights) {
  const std::int16_t* const from = scores.row(row);
  const std::int16_t largest = HWY_DYNAMIC_DISPATCH(largest_score)(from, scores.stride());
  const std::int32_t sum =
      HWY_DYNAMIC_DISPATCH(byte_softmax)(from, scores.stride(), largest, weights);
  return {sum, largest >= kExactFrom && largest < std::numeric_limits<std::int16_t>::max()};
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
