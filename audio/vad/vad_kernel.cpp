// Compiled once for each instruction set by Highway; the best one is chosen at run time.
#include "audio/vad/vad_kernel.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

// foreach_target.h must come before highway.h, and that before *-inl.h.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "audio/vad/vad_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::audio::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using kernels::HWY_NAMESPACE::exp_nonpositive;
using kernels::HWY_NAMESPACE::Float;
using kernels::HWY_NAMESPACE::FloatVec;

// 1 / (1 + e^-x) and tanh x by e^-|x| and e^-2|x|, which do not overflow.
HWY_INLINE FloatVec sigmoid(FloatVec x) {
  const Float d;
  const FloatVec one = hn::Set(d, 1.0F);
  const FloatVec e = exp_nonpositive(hn::Neg(hn::Abs(x)));
  const FloatVec of_negative = hn::Div(e, hn::Add(one, e));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), of_negative, hn::Sub(one, of_negative));
}

HWY_INLINE FloatVec tanh(FloatVec x) {
  const Float d;
  const FloatVec one = hn::Set(d, 1.0F);
  const FloatVec e = exp_nonpositive(hn::Mul(hn::Set(d, -2.0F), hn::Abs(x)));
  return hn::CopySignToAbs(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
}

void lstm_step(std::span<const float> gates, float* cell, float* hidden) {
  const Float d;
  const std::size_t n = gates.size() / 4;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto gate = [&](std::size_t which) { return hn::LoadU(d, gates.data() + which * n + i); };
    const FloatVec kept = hn::Mul(sigmoid(gate(1)), hn::LoadU(d, cell + i));
    const FloatVec c = hn::MulAdd(sigmoid(gate(0)), tanh(gate(2)), kept);
    hn::StoreU(c, d, cell + i);
    hn::StoreU(hn::Mul(sigmoid(gate(3)), tanh(c)), d, hidden + i);
  }
}

void relu(std::span<float> x) {
  const Float d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d))
    hn::StoreU(hn::Max(hn::LoadU(d, x.data() + i), hn::Zero(d)), d, x.data() + i);
  for (; i < x.size(); ++i) x[i] = std::max(x[i], 0.0F);
}

}  // namespace wnpu::audio::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::audio {

HWY_EXPORT(lstm_step);
HWY_EXPORT(relu);

void lstm_step(std::span<const float> gates, std::span<float> cell, std::span<float> hidden) {
  assert(gates.size() == 4 * cell.size() && hidden.size() == cell.size() && cell.size() % 16 == 0);
  HWY_DYNAMIC_DISPATCH(lstm_step)(gates, cell.data(), hidden.data());
}

void relu(std::span<float> x) { HWY_DYNAMIC_DISPATCH(relu)(x); }

}  // namespace wnpu::audio
#endif  // HWY_ONCE
