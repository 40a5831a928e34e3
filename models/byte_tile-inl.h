// What the tiles of byte_gemm.cpp multiply with AVX512-VNNI and AVX512-BF16, and the tile whose
// sums become the weights of a softmax. For AVX3_DL alone, and so included once, unlike the other
// -inl.h: after models/gemm_tile-inl.h.
#pragma once

HWY_BEFORE_NAMESPACE();
namespace wnpu::models::HWY_NAMESPACE {

using Bytes = hn::ScalableTag<std::int8_t>;
using BytesVec = hn::Vec<Bytes>;

// u8 times s8, four terms at a time into int32, exactly.
struct ByteTerms {
  using Left = ByteQuad;
  using Right = std::int8_t;
  static constexpr std::size_t kRightPerStep = 4;
  static constexpr std::size_t kStepsPerSum = SIZE_MAX;
  using Vec = BytesVec;
  using Sum = IntVec;

  static HWY_INLINE Vec load(const std::int8_t* b) { return hn::Load(Bytes(), b); }
  static HWY_INLINE Vec broadcast(ByteQuad a) {
    return hn::BitCast(Bytes(), hn::Set(Int(), std::bit_cast<std::int32_t>(a)));
  }
  static HWY_INLINE Sum zero() { return hn::Zero(Int()); }
  // Highway 1.0 has no such operation, and its AVX3_DL does not let the compiler use it either.
  static HWY_INLINE void add(Vec a, Vec b, Sum& sum) {
    asm volatile("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  }
  static HWY_INLINE FloatVec to_float(Sum sum) { return hn::ConvertTo(Float(), sum); }
  static HWY_INLINE FloatVec unscaled(FloatVec total, const OfRow& row, FloatVec sum) {
    return hn::MulAdd(total, row.scale, hn::Mul(row.offset, sum));
  }
  static HWY_INLINE FloatVec finish(FloatVec total, const OfRow& row, const OfColumns& columns) {
    return hn::MulAdd(unscaled(total, row, columns.sum), columns.scale, columns.bias);
  }
  static HWY_INLINE FloatVec gelu(FloatVec y) { return coarse_gelu(y); }
};

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
  static HWY_INLINE FloatVec finish(FloatVec total, const OfRow& row, const OfColumns& columns) {
    return hn::MulAdd(total, row.scale, columns.bias);
  }
  static HWY_INLINE FloatVec gelu(FloatVec y) { return coarse_gelu(y); }
};

// 2^x, relative error 1.1e-4: a cubic on [0, 1), fitted for the least relative error.
HWY_INLINE FloatVec exp2(FloatVec x) {
  const Float d;
  const FloatVec f{_mm512_reduce_ps(x.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  FloatVec p = hn::MulAdd(f, hn::Set(d, 0.0780245245F), hn::Set(d, 0.226067182F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.695833515F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.999925223F));
  return FloatVec{_mm512_scalef_ps(p.raw, x.raw)};  // p * 2^floor(x)
}

// Where a tile's sums go that become weights of a softmax.
struct WeightsOut {
  Bf16Pair* weights;
  std::size_t stride;   // pairs
  const float* scales;  // of the columns
  const float* sums;    // of the columns of b
  const float* shifts;  // of the rows
  float* row_sums;      // kSumParts a row
  std::size_t cols;     // of the tile that there are
};

// Two vectors' weights: stores them, returns their sum.
HWY_INLINE FloatVec store_weights(FloatVec low, FloatVec high, Bf16Pair* to) {
  __m512i both;
  asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(both) : "v"(high.raw), "v"(low.raw));
  _mm512_storeu_si512(to, both);
  return hn::Add(low, high);
}

template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void store(const Totals<kRows, kPanels>& totals, const LeftRows<ByteQuad>& a,
                      WeightsOut out) {
  static_assert(kPanels == 1);
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  const FloatVec scales[2] = {hn::LoadU(d, out.scales), hn::LoadU(d, out.scales + lanes)};
  const FloatVec sums[2] = {hn::LoadU(d, out.sums), hn::LoadU(d, out.sums + lanes)};
  const bool whole = out.cols == 2 * lanes;
  const auto first = hn::FirstN(d, out.cols);
  const auto second = hn::FirstN(d, out.cols - std::min(lanes, out.cols));
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    const OfRow row = load_row(a, r);
    const FloatVec shift = hn::Set(d, out.shifts[r]);
    FloatVec low = exp2(hn::MulSub(Terms::unscaled(totals[r][0], row, sums[0]), scales[0], shift));
    FloatVec high = exp2(hn::MulSub(Terms::unscaled(totals[r][1], row, sums[1]), scales[1], shift));
    if (!whole) {
      low = hn::IfThenElseZero(first, low);
      high = hn::IfThenElseZero(second, high);
    }
    float* const sum = out.row_sums + r * SoftmaxWeights::kSumParts;
    const FloatVec of_tile = store_weights(low, high, out.weights + r * out.stride);
    hn::Store(hn::Add(hn::Load(d, sum), of_tile), d, sum);
  }
}

}  // namespace wnpu::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
