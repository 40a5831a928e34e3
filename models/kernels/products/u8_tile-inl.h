// Tiles of u8_gemm.cpp for VNNI and AVX512-BF16: how they multiply, and how they store scores of a
// softmax. For AVX2, AVX3 and AVX3_DL: included after models/kernels/products/gemm_tile-inl.h, as
// often as there are of these.
#if defined(WNPU_KERNELS_U8_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WNPU_KERNELS_U8_TILE_INL_H_
#undef WNPU_KERNELS_U8_TILE_INL_H_
#else
#define WNPU_KERNELS_U8_TILE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

using Bytes = hn::ScalableTag<std::int8_t>;
using BytesVec = hn::Vec<Bytes>;

// u8 times s8, four terms at a time into int32, exactly.
struct ByteTerms {
  using Left = U8Quad;
  using Right = std::int8_t;
  static constexpr std::size_t kRightPerStep = 4;
  static constexpr std::size_t kStepsPerSum = SIZE_MAX;
  using Vec = BytesVec;
  using Sum = IntVec;

  static HWY_INLINE Vec load(const std::int8_t* b) { return hn::Load(Bytes(), b); }
  static HWY_INLINE Vec broadcast(U8Quad a) {
    return hn::BitCast(Bytes(), hn::Set(Int(), std::bit_cast<std::int32_t>(a)));
  }
  static HWY_INLINE Sum zero() { return hn::Zero(Int()); }
  static HWY_INLINE void add(Vec a, Vec b, Sum& sum) { add_quads(a, b, sum); }
  static HWY_INLINE FloatVec to_float(Sum sum) { return hn::ConvertTo(Float(), sum); }
  static HWY_INLINE FloatVec unscaled(FloatVec total, const OfRow& row, FloatVec sum) {
    return hn::MulAdd(total, row.scale, hn::Mul(row.offset, sum));
  }
  static HWY_INLINE FloatVec finish(FloatVec total, const OfRow& row, const OfColumns& columns) {
    return hn::MulAdd(unscaled(total, row, columns.sum), columns.scale, columns.bias);
  }
  static HWY_INLINE FloatVec gelu(FloatVec y) { return coarse_gelu(y); }
};

#if HWY_TARGET == HWY_AVX2

// ByteTerms without VNNI, of numbers within byte_limits(): four products in int16, which two steps
// share, then in int32.
struct SevenBitTerms : ByteTerms {
  static HWY_INLINE void add(Vec a, Vec b, Sum& sum) {
    add_words(_mm256_maddubs_epi16(a.raw, b.raw), sum);
  }
  static HWY_INLINE void add_two(Vec a, Vec b, Vec next_a, Vec next_b, Sum& sum) {
    add_words(_mm256_add_epi16(_mm256_maddubs_epi16(a.raw, b.raw),
                               _mm256_maddubs_epi16(next_a.raw, next_b.raw)),
              sum);
  }

 private:
  // In this order, as add_products() has it.
  static HWY_INLINE void add_words(__m256i words, Sum& sum) {
    const __m256i products = _mm256_madd_epi16(words, _mm256_set1_epi16(1));
#if defined(__clang__)
    sum.raw = _mm256_add_epi32(sum.raw, products);
#else
    asm volatile("vpaddd %1, %0, %0" : "+x"(sum.raw) : "x"(products));
#endif
  }
};

#endif

#if HWY_TARGET <= HWY_AVX3

// bf16 times bf16, two terms at a time into fp32.
struct Bf16Terms {
  using Left = Bf16Pair;
  using Right = Bf16Pair;
  static constexpr std::size_t kRightPerStep = 1;
  static constexpr std::size_t kStepsPerSum = SIZE_MAX;
  using Vec = IntVec;  // a pair a lane
  using Sum = FloatVec;

  static HWY_INLINE Vec load(const Bf16Pair* b) {
    return hn::Load(Int(), reinterpret_cast<const std::int32_t*>(b));
  }
  static HWY_INLINE Vec broadcast(Bf16Pair a) {
    return hn::Set(Int(), std::bit_cast<std::int32_t>(a));
  }
  static HWY_INLINE Sum zero() { return hn::Zero(Float()); }
  static HWY_INLINE void add(Vec a, Vec b, Sum& sum) {
    asm volatile("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  }
  static HWY_INLINE FloatVec to_float(Sum sum) { return sum; }
  static HWY_INLINE FloatVec finish(FloatVec total, const OfRow& /*row*/,
                                    const OfColumns& columns) {
    return hn::Add(total, columns.bias);
  }
  static HWY_INLINE FloatVec gelu(FloatVec y) { return coarse_gelu(y); }
};

// In the order of the columns; what 16 bits do not hold is cut off.
HWY_INLINE __m512i to_scores(FloatVec low, FloatVec high) {
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i by_lanes =
      _mm512_packs_epi32(_mm512_cvtps_epi32(low.raw), _mm512_cvtps_epi32(high.raw));
  return _mm512_permutexvar_epi64(order, by_lanes);
}

// The first `cols` scores of a row of a panel; the others become the least.
HWY_INLINE void store_scores(FloatVec low, FloatVec high, std::size_t cols, std::int16_t* to) {
  const auto there = static_cast<__mmask32>((std::uint64_t{1} << cols) - 1);
  const __m512i least = _mm512_set1_epi16(std::numeric_limits<std::int16_t>::min());
  _mm512_store_si512(to, _mm512_mask_mov_epi16(least, there, to_scores(low, high)));
}

#else

HWY_INLINE __m256i to_scores(FloatVec low, FloatVec high) {
  constexpr int kOrder = 0b11'01'10'00;
  const __m256i by_lanes =
      _mm256_packs_epi32(_mm256_cvtps_epi32(low.raw), _mm256_cvtps_epi32(high.raw));
  return _mm256_permute4x64_epi64(by_lanes, kOrder);
}

HWY_INLINE void store_scores(FloatVec low, FloatVec high, std::size_t cols, std::int16_t* to) {
  const __m256i places = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m256i there =
      _mm256_cmpgt_epi16(_mm256_set1_epi16(static_cast<std::int16_t>(cols)), places);
  const __m256i least = _mm256_set1_epi16(std::numeric_limits<std::int16_t>::min());
  _mm256_store_si256(reinterpret_cast<__m256i*>(to),
                     _mm256_blendv_epi8(least, to_scores(low, high), there));
}

#endif

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
