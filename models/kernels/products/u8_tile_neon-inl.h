// Tiles of u8_gemm.cpp for ARM's dot products of bytes: how they multiply, and how they store
// scores of a softmax. For NEON alone, and so included once: after
// models/kernels/products/gemm_tile-inl.h.
#pragma once

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

using Bytes = hn::ScalableTag<std::int8_t>;
using BytesVec = hn::Vec<Bytes>;

// u8 times s8, four terms at a time into int32, exactly. The instruction takes signed bytes on both
// sides: a is less by 128, and each sum gets 128 times that of its column's bytes at the end.
struct ByteTerms {
  using Left = U8Quad;
  using Right = std::int8_t;
  static constexpr std::size_t kRightPerStep = 4;
  static constexpr std::size_t kStepsPerSum = SIZE_MAX;
  using Vec = BytesVec;
  using Sum = IntVec;

  static HWY_INLINE Vec load(const std::int8_t* b) { return hn::Load(Bytes(), b); }
  static HWY_INLINE Vec broadcast(U8Quad a) {
    constexpr std::uint32_t kSigns = 0x80808080U;
    return hn::BitCast(
        Bytes(), hn::Set(hn::RebindToUnsigned<Int>(), std::bit_cast<std::uint32_t>(a) ^ kSigns));
  }
  static HWY_INLINE Sum zero() { return hn::Zero(Int()); }
  // This file is compiled for every ARMv8, and runs where the CPU has it (instruction_set.h).
  static HWY_INLINE void add(Vec a, Vec b, Sum& sum) {
    asm(".arch armv8.2-a+dotprod+crypto\n\tsdot %0.4s, %1.16b, %2.16b"
        : "+w"(sum.raw)
        : "w"(a.raw), "w"(b.raw));
  }
  static HWY_INLINE FloatVec to_float(Sum sum) { return hn::ConvertTo(Float(), sum); }
  static HWY_INLINE FloatVec unscaled(FloatVec total, const OfRow& row, FloatVec sum) {
    const FloatVec unsigned_total = hn::MulAdd(sum, hn::Set(Float(), 128.0F), total);
    return hn::MulAdd(unsigned_total, row.scale, hn::Mul(row.offset, sum));
  }
  static HWY_INLINE FloatVec finish(FloatVec total, const OfRow& row, const OfColumns& columns) {
    return hn::MulAdd(unscaled(total, row, columns.sum), columns.scale, columns.bias);
  }
  static HWY_INLINE FloatVec gelu(FloatVec y) { return coarse_gelu(y); }
};

// Scores saturate at 16 bits; NaN, which the conversion makes 0, becomes the least.
HWY_INLINE int16x4_t to_scores(FloatVec x) {
  const int32x4_t least = vdupq_n_s32(std::numeric_limits<std::int32_t>::min());
  return vqmovn_s32(vbslq_s32(vceqq_f32(x.raw, x.raw), vcvtnq_s32_f32(x.raw), least));
}

// The first `cols` scores of a row of a panel; the others become the least.
HWY_INLINE void store_scores(FloatVec low, FloatVec high, std::size_t cols, std::int16_t* to) {
  constexpr std::int16_t kPlaces[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const uint16x8_t there =
      vcltq_s16(vld1q_s16(kPlaces), vdupq_n_s16(static_cast<std::int16_t>(cols)));
  const int16x8_t least = vdupq_n_s16(std::numeric_limits<std::int16_t>::min());
  const int16x8_t scores = vcombine_s16(to_scores(low), to_scores(high));
  vst1q_s16(to, vbslq_s16(there, scores, least));
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
