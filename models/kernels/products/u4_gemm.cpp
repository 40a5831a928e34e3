// Products with a right side of nibbles (models/kernels/operands/u4_matrix.h): sums of bytes times
// nibbles, exact in int32.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/operands/u4_matrix.h"
#include "models/kernels/products/gemm_of_number.h"
#include "models/kernels/vectors/instruction_set.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/products/u4_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
#include "models/kernels/products/vnni-inl.h"
#include "models/kernels/products/gemm_tile-inl.h"
#include "models/kernels/products/gemm_panels-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

// Eight terms of one step of a column or a row, as two groups of four, each group a lane of Int.
template <typename V>
struct Fours {
  V first, second;
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3

using NibbleVec = hn::Vec<hn::ScalableTag<std::uint8_t>>;
using OctetVec = hn::Vec<hn::ScalableTag<std::int8_t>>;

HWY_INLINE Fours<NibbleVec> load_nibbles(const std::uint8_t* b) {
  const hn::ScalableTag<std::uint8_t> d8;
  const hn::ScalableTag<std::uint16_t> d16;
  const auto mask = hn::Set(d8, 15);
  const auto both = hn::Load(d8, b);
  const auto upper = hn::BitCast(d8, hn::ShiftRight<4>(hn::BitCast(d16, both)));
  return {hn::And(both, mask), hn::And(upper, mask)};
}
HWY_INLINE Fours<OctetVec> broadcast_octet(I8Octet a) {
  const hn::ScalableTag<std::int8_t> d8;
  const auto halves = std::bit_cast<std::array<std::int32_t, 2>>(a);
  return {hn::BitCast(d8, hn::Set(Int(), halves[0])), hn::BitCast(d8, hn::Set(Int(), halves[1]))};
}

// Unsigned times signed bytes, two neighbours added up in 16 bits: 2 * 15 * 127 and twice that fit.
// Highway 1.0 has no such operation.
HWY_INLINE __m128i add_twos(__m128i u, __m128i s) { return _mm_maddubs_epi16(u, s); }
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE __m256i add_twos(__m256i u, __m256i s) { return _mm256_maddubs_epi16(u, s); }
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE __m512i add_twos(__m512i u, __m512i s) { return _mm512_maddubs_epi16(u, s); }
#endif

HWY_INLINE void add_fours(const Fours<OctetVec>& a, const Fours<NibbleVec>& b, IntVec& sum) {
  const Pairs d16;
  const PairVec twos = hn::Add(PairVec{add_twos(b.first.raw, a.first.raw)},
                               PairVec{add_twos(b.second.raw, a.second.raw)});
  add_products(twos, hn::Set(d16, 1), sum);
}

#elif HWY_TARGET == HWY_NEON

using NibbleVec = uint8x16_t;
using OctetVec = int8x16_t;

HWY_INLINE Fours<NibbleVec> load_nibbles(const std::uint8_t* b) {
  const uint8x16_t both = vld1q_u8(b);
  return {vandq_u8(both, vdupq_n_u8(15)), vshrq_n_u8(both, 4)};
}
HWY_INLINE Fours<OctetVec> broadcast_octet(I8Octet a) {
  const auto halves = std::bit_cast<std::array<std::int32_t, 2>>(a);
  return {vreinterpretq_s8_s32(vdupq_n_s32(halves[0])),
          vreinterpretq_s8_s32(vdupq_n_s32(halves[1]))};
}
// Two products of bytes times nibbles, and those of two neighbours, fit in 16 bits.
HWY_INLINE void add_fours(const Fours<OctetVec>& a, const Fours<NibbleVec>& b, IntVec& sum) {
  const int8x16_t first = vreinterpretq_s8_u8(b.first);
  const int8x16_t second = vreinterpretq_s8_u8(b.second);
  int16x8_t low = vmull_s8(vget_low_s8(a.first), vget_low_s8(first));
  int16x8_t high = vmull_high_s8(a.first, first);
  low = vmlal_s8(low, vget_low_s8(a.second), vget_low_s8(second));
  high = vmlal_high_s8(high, a.second, second);
  sum.raw = vpadalq_s16(sum.raw, vpaddq_s16(low, high));
}

#else  // plain loops, for tests

constexpr std::size_t kVectorBytes = sizeof(std::int32_t) * hn::MaxLanes(Int());
using NibbleVec = std::array<std::uint8_t, kVectorBytes>;
using OctetVec = std::array<std::int8_t, 4>;

HWY_INLINE Fours<NibbleVec> load_nibbles(const std::uint8_t* b) {
  Fours<NibbleVec> fours;
  for (std::size_t i = 0; i < kVectorBytes; ++i) {
    fours.first[i] = b[i] & 15U;
    fours.second[i] = b[i] >> 4U;
  }
  return fours;
}
HWY_INLINE Fours<OctetVec> broadcast_octet(I8Octet a) { return std::bit_cast<Fours<OctetVec>>(a); }
HWY_INLINE void add_fours(const Fours<OctetVec>& a, const Fours<NibbleVec>& b, IntVec& sum) {
  HWY_ALIGN std::int32_t sums[hn::MaxLanes(Int())];
  hn::Store(sum, Int(), sums);
  for (std::size_t i = 0; i < kVectorBytes; ++i)
    sums[i / 4] += a.first[i % 4] * b.first[i] + a.second[i % 4] * b.second[i];
  sum = hn::Load(Int(), sums);
}

#endif

struct NibbleTerms {
  using Left = I8Octet;
  using Right = std::uint8_t;
  static constexpr std::size_t kRightPerStep = 4;
  static constexpr std::size_t kStepsPerSum = SIZE_MAX;
  using Vec = Fours<NibbleVec>;
  using Sum = IntVec;

  static HWY_INLINE Vec load(const std::uint8_t* b) { return load_nibbles(b); }
  static HWY_INLINE Fours<OctetVec> broadcast(I8Octet a) { return broadcast_octet(a); }
  static HWY_INLINE Sum zero() { return hn::Zero(Int()); }
  static HWY_INLINE void add(const Fours<OctetVec>& a, const Vec& b, Sum& sum) {
    add_fours(a, b, sum);
  }
  static HWY_INLINE FloatVec to_float(Sum sum) { return hn::ConvertTo(Float(), sum); }
  static HWY_INLINE FloatVec finish(FloatVec total, const OfRow& row, const OfColumns& columns) {
    return hn::MulAdd(hn::MulAdd(total, row.scale, row.offset), columns.scale, row.base);
  }
  static HWY_INLINE FloatVec gelu(FloatVec y) { return HWY_NAMESPACE::gelu(y); }
};
// Panels are short: with AVX-512, what is 4096 bytes ahead is in the next one most of the time, and
// that is worked on with this one.
template <>
constexpr std::size_t kPrefetchBytes<NibbleTerms> = 512 * kMaxLanes;

#if HWY_TARGET <= HWY_AVX2
// NibbleTerms, whose sums VNNI makes.
struct VnniNibbleTerms : NibbleTerms {
  static HWY_INLINE void add(const Fours<OctetVec>& a, const Vec& b, Sum& sum) {
    add_quads(b.first, a.first, sum);
    add_quads(b.second, a.second, sum);
  }
};
template <>
constexpr std::size_t kPrefetchBytes<VnniNibbleTerms> = kPrefetchBytes<NibbleTerms>;
#endif

void u4_gemm(const Product& product, MatrixView c, const ProductShare& share) {
#if HWY_TARGET <= HWY_AVX2
  if (has_byte_instructions()) return multiply<VnniNibbleTerms>(product, c, share);
#endif
#if HWY_TARGET != HWY_AVX3_DL  // which always has them
  multiply<NibbleTerms>(product, c, share);
#endif
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {
namespace {

HWY_EXPORT(u4_gemm);

}  // namespace

void multiply_u4(const Product& product, MatrixView c, const ProductShare& share) {
  HWY_DYNAMIC_DISPATCH(u4_gemm)(product, c, share);
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
