#include "models/kernels/operands/u8_softmax.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "models/kernels/vectors/instruction_set.h"

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

#if HWY_TARGET <= HWY_AVX2

HWY_INLINE std::int16_t largest_lane(__m256i x) {
  const __m128i half = _mm_max_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  // The largest becomes the least unsigned number, which one instruction finds.
  constexpr int kReversed = 0x7FFF;
  const __m128i least = _mm_minpos_epu16(_mm_xor_si128(half, _mm_set1_epi16(kReversed)));
  return static_cast<std::int16_t>(_mm_cvtsi128_si32(least) ^ kReversed);
}

#endif

#if HWY_TARGET <= HWY_AVX3

constexpr std::size_t kWords = 32;  // a vector's

std::int16_t largest_score(const std::int16_t* scores, std::size_t n) {
  __m512i largest = _mm512_set1_epi16(kLeastScore);
  for (std::size_t i = 0; i < n; i += kWords)
    largest = _mm512_max_epi16(largest, _mm512_load_si512(scores + i));
  return largest_lane(
      _mm256_max_epi16(_mm512_castsi512_si256(largest), _mm512_extracti64x4_epi64(largest, 1)));
}

#if HWY_TARGET == HWY_AVX3_DL

// The mantissas of so many steps below the largest score, in the upper bytes.
HWY_INLINE __m512i mantissas_of(__m512i below, const __m512i (&mantissas)[2]) {
  constexpr __mmask64 kUpperBytes = 0xAAAAAAAAAAAAAAAA;
  return _mm512_maskz_permutex2var_epi8(kUpperBytes, mantissas[0], _mm512_slli_epi16(below, 8),
                                        mantissas[1]);
}

// The upper bytes of two vectors.
HWY_INLINE __m512i upper_bytes(__m512i low, __m512i high) {
  alignas(64) static constexpr auto kUpper = [] {
    std::array<std::uint8_t, kSoftmaxGroup> upper{};
    for (std::size_t i = 0; i < upper.size(); ++i) upper[i] = static_cast<std::uint8_t>(2 * i + 1);
    return upper;
  }();
  return _mm512_permutex2var_epi8(low, _mm512_load_si512(kUpper.data()), high);
}

#else  // without VBMI

// Two neighbours lie in a word: of an even step the lower byte is wanted.
HWY_INLINE __m512i mantissas_of(__m512i below, const __m512i (&mantissas)[2]) {
  const __m512i both =
      _mm512_permutex2var_epi16(mantissas[0], _mm512_srli_epi16(below, 1), mantissas[1]);
  const __mmask32 is_even = _mm512_testn_epi16_mask(below, _mm512_set1_epi16(1));
  const __m512i upper = _mm512_mask_slli_epi16(both, is_even, both, 8);
  return _mm512_and_si512(upper, _mm512_set1_epi16(static_cast<std::int16_t>(0xFF00)));
}

HWY_INLINE __m512i upper_bytes(__m512i low, __m512i high) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i by_lanes =
      _mm512_packus_epi16(_mm512_srli_epi16(low, 8), _mm512_srli_epi16(high, 8));
  return _mm512_permutexvar_epi64(order, by_lanes);
}

#endif

// The weights of a vector of scores, in the upper bytes.
HWY_INLINE __m512i weigh(__m512i scores, __m512i largest, const __m512i (&mantissas)[2],
                         __m512i dither) {
  const __m512i below = _mm512_sub_epi16(largest, scores);
  const __m512i mantissa = mantissas_of(below, mantissas);
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
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n; i += kSoftmaxGroup) {
    const __m512i low = weigh(_mm512_load_si512(scores + i), largest, mantissas, dither[0]);
    const __m512i high =
        weigh(_mm512_load_si512(scores + i + kWords), largest, mantissas, dither[1]);
    const __m512i both = upper_bytes(low, high);
    _mm512_storeu_si512(weights + i, both);
    sum = _mm512_add_epi64(sum, _mm512_sad_epu8(both, _mm512_setzero_si512()));
  }
  return static_cast<std::int32_t>(_mm512_reduce_add_epi64(sum));
}

#elif HWY_TARGET == HWY_AVX2

constexpr std::size_t kWords = 16;  // a vector's
constexpr std::size_t kBytes = 32;
constexpr std::size_t kTableBytes = 16;  // that one instruction looks up
constexpr std::size_t kTables = kStepsPerPower / kTableBytes;

// The first 16 mantissas, and what turns 16 mantissas into the next 16.
alignas(16) constexpr auto kTurns = [] {
  std::array<std::array<std::uint8_t, kTableBytes>, kTables> turns{};
  for (std::size_t i = 0; i < kMantissas.size(); ++i) {
    const int before = i < kTableBytes ? 0 : kMantissas[i - kTableBytes];
    turns[i / kTableBytes][i % kTableBytes] = static_cast<std::uint8_t>(kMantissas[i] ^ before);
  }
  return turns;
}();
// Powers of 2 from 2^15 down: upper bytes of the first eight, lower ones of the others.
alignas(16) constexpr std::array<std::uint8_t, 16> kPowers{0,   0,  0,  0,  0, 0, 0, 0,
                                                           128, 64, 32, 16, 8, 4, 2, 1};

HWY_INLINE __m256i load_vector(const void* from) {
  return _mm256_load_si256(static_cast<const __m256i*>(from));
}
HWY_INLINE __m256i load_table(const std::uint8_t* from) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}

// Mantissas of so many steps below a power, 0 to 127. An index below 0 looks up 0.
HWY_INLINE __m256i mantissas_of(__m256i steps) {
  const __m256i size = _mm256_set1_epi8(kTableBytes);
  __m256i mantissas = _mm256_shuffle_epi8(load_table(kTurns[0].data()), steps);
#pragma GCC unroll 8
  for (std::size_t i = 1; i < kTables; ++i) {
    steps = _mm256_sub_epi8(steps, size);
    const __m256i turn = _mm256_shuffle_epi8(load_table(kTurns[i].data()), steps);
    mantissas = _mm256_xor_si256(mantissas, turn);
  }
  return mantissas;
}

// The weights of mantissas, which are in upper bytes. Halves are added: 2^16 is no factor in 16
// bits, the dither is even, and beside it a weight's last bit changes nothing above it.
HWY_INLINE __m256i weigh(__m256i mantissas, __m256i below, __m256i dither) {
  // Behind 16 powers every index has its highest bit, which looks up 0.
  const __m256i least = _mm256_set1_epi16(16 << kPowerBits);
  const __m256i power = _mm256_srli_epi16(_mm256_min_epu16(below, least), kPowerBits);
  const __m256i twice = _mm256_or_si256(power, _mm256_slli_epi16(power, 8));
  const __m256i index = _mm256_add_epi16(twice, _mm256_set1_epi16(0x7870));
  const __m256i factor = _mm256_shuffle_epi8(load_table(kPowers.data()), index);
  const __m256i half = _mm256_mulhi_epu16(mantissas, factor);
  return _mm256_srli_epi16(_mm256_add_epi16(half, _mm256_srli_epi16(dither, 1)), 7);
}

std::int16_t largest_score(const std::int16_t* scores, std::size_t n) {
  __m256i largest = _mm256_set1_epi16(kLeastScore);
  for (std::size_t i = 0; i < n; i += kWords)
    largest = _mm256_max_epi16(largest, load_vector(scores + i));
  return largest_lane(largest);
}

std::int32_t byte_softmax(const std::int16_t* scores, std::size_t n, std::int16_t largest_of_row,
                          std::uint8_t* weights) {
  const __m256i largest = _mm256_set1_epi16(largest_of_row);
  const __m256i fraction = _mm256_set1_epi16(kStepsPerPower - 1);
  const __m256i zero = _mm256_setzero_si256();
  __m256i sum = zero;
  for (std::size_t i = 0; i < n; i += kBytes) {
    const std::uint16_t* const dither = kDither.data() + i % kSoftmaxGroup;
    const __m256i low = _mm256_sub_epi16(largest, load_vector(scores + i));
    const __m256i high = _mm256_sub_epi16(largest, load_vector(scores + i + kWords));
    // Packing and unpacking go by halves of a vector both.
    const __m256i mantissas = mantissas_of(
        _mm256_packus_epi16(_mm256_and_si256(low, fraction), _mm256_and_si256(high, fraction)));
    const __m256i by_halves = _mm256_packus_epi16(
        weigh(_mm256_unpacklo_epi8(zero, mantissas), low, load_vector(dither)),
        weigh(_mm256_unpackhi_epi8(zero, mantissas), high, load_vector(dither + kWords)));
    constexpr int kOrder = 0b11'01'10'00;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + i),
                        _mm256_permute4x64_epi64(by_halves, kOrder));
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(by_halves, zero));
  }
  const __m128i halves =
      _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  return _mm_cvtsi128_si32(_mm_add_epi64(halves, _mm_unpackhi_epi64(halves, halves)));
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
  const int largest = HWY_DYNAMIC_DISPATCH(largest_score)(from, scores.stride());
  // Weights of 7 bits are those of 8 a power lower.
  const int above = byte_limits().left < kMantissas[0] ? kStepsPerPower : 0;
  const int most = std::numeric_limits<std::int16_t>::max() - above;
  const std::int32_t sum = HWY_DYNAMIC_DISPATCH(byte_softmax)(
      from, scores.stride(), static_cast<std::int16_t>(std::min(largest, most) + above), weights);
  return {sum, largest >= kExactFrom && largest < most};
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
