// exp, erf and GELU on vectors, for files that Highway compiles once a target: included after
// hwy/highway.h, as often as there are targets.
#if defined(WNPU_KERNELS_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WNPU_KERNELS_SIMD_MATH_INL_H_
#undef WNPU_KERNELS_SIMD_MATH_INL_H_
#else
#define WNPU_KERNELS_SIMD_MATH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Float = hn::ScalableTag<float>;
using FloatVec = hn::Vec<Float>;

// exp(x) for x <= 0, relative error below 2e-7; 0 below -87, -inf included. By 2^n e^f with ln 2
// split as in Cephes' expf; the polynomial is the minimax fit of degree 5 to e^f, |f| <= ln 2 / 2.
// n is rounded by adding 1.5 * 2^23, whose low bits it then is.
HWY_INLINE FloatVec exp_nonpositive(FloatVec x) {
  const Float d;
  const hn::RebindToSigned<Float> di;
  const FloatVec floor = hn::Set(d, -87.0F);
  const FloatVec bounded = hn::Max(x, floor);
  const FloatVec magic = hn::Set(d, 12582912.0F);
  const FloatVec n = hn::MulAdd(bounded, hn::Set(d, 1.44269504F), magic);
  const FloatVec whole = hn::Sub(n, magic);
  FloatVec f = hn::NegMulAdd(whole, hn::Set(d, 0.693359375F), bounded);
  f = hn::NegMulAdd(whole, hn::Set(d, -2.12194440e-4F), f);
  FloatVec p = hn::MulAdd(f, hn::Set(d, 0.008312501F), hn::Set(d, 0.04189033F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.16667116F));
  p = hn::MulAdd(p, f, hn::Set(d, 0.4999923F));
  const FloatVec e = hn::MulAdd(hn::Mul(f, f), p, hn::Add(f, hn::Set(d, 1.0F)));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, n));
  const FloatVec scaled = hn::BitCast(d, hn::Add(hn::BitCast(di, e), exponent));
  return hn::IfThenElseZero(hn::Gt(x, floor), scaled);
}

// erf by Abramowitz & Stegun, Handbook of Mathematical Functions, 7.1.26: absolute error 1.5e-7.
HWY_INLINE FloatVec erf(FloatVec x) {
  const Float d;
  const FloatVec magnitude = hn::Abs(x);
  const FloatVec one = hn::Set(d, 1.0F);
  const FloatVec t = hn::Div(one, hn::MulAdd(hn::Set(d, 0.3275911F), magnitude, one));
  FloatVec p = hn::Set(d, 1.061405429F);
  p = hn::MulAdd(p, t, hn::Set(d, -1.453152027F));
  p = hn::MulAdd(p, t, hn::Set(d, 1.421413741F));
  p = hn::MulAdd(p, t, hn::Set(d, -0.284496736F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.254829592F));
  const FloatVec tail =
      hn::Mul(hn::Mul(p, t), exp_nonpositive(hn::Neg(hn::Mul(magnitude, magnitude))));
  return hn::CopySignToAbs(hn::Sub(one, tail), x);
}

// x Phi(x). Beyond |x| = 8 that is x or 0.
HWY_INLINE FloatVec gelu(FloatVec x) {
  const Float d;
  const FloatVec half = hn::Mul(x, hn::Set(d, 0.5F));
  const FloatVec clamped = hn::Clamp(x, hn::Set(d, -8.0F), hn::Set(d, 8.0F));
  return hn::MulAdd(half, erf(hn::Mul(clamped, hn::Set(d, 0.70710678118654752F))), half);
}

// GELU to 4.6e-5 max(1, |x|), for operands of 8 bits: Phi(x) - 1/2 as an odd polynomial of degree
// 15 on [-4, 4], fitted for the least absolute error of x Phi(x).
HWY_INLINE FloatVec coarse_gelu(FloatVec x) {
  const Float d;
  const FloatVec u = hn::Clamp(x, hn::Set(d, -4.0F), hn::Set(d, 4.0F));
  const FloatVec square = hn::Mul(u, u);
  FloatVec p = hn::MulAdd(square, hn::Set(d, -1.3012676e-09F), hn::Set(d, 1.0419455e-07F));
  p = hn::MulAdd(p, square, hn::Set(d, -3.6570993e-06F));
  p = hn::MulAdd(p, square, hn::Set(d, 7.485465e-05F));
  p = hn::MulAdd(p, square, hn::Set(d, -0.0010064879F));
  p = hn::MulAdd(p, square, hn::Set(d, 0.009505389F));
  p = hn::MulAdd(p, square, hn::Set(d, -0.06588782F));
  p = hn::MulAdd(p, square, hn::Set(d, 0.3986734F));
  return hn::Mul(x, hn::MulAdd(u, p, hn::Set(d, 0.5F)));
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
