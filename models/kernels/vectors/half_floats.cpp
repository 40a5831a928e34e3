#include "models/kernels/vectors/half_floats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/vectors/half_floats.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Float = hn::ScalableTag<float>;
using Bits = hn::RebindToUnsigned<Float>;

// See the scalar widen_f16 below. Highway's own conversion is not used: without F16C it takes
// infinities for numbers.
hn::Vec<Float> widen(hn::Vec<Bits> half) {
  const Float df;
  const Bits du;
  const auto magnitude = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7fffU)));
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000U)));
  const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(df, magnitude), hn::Set(df, 0x1p112F)));
  const auto special = hn::Or(magnitude, hn::Set(du, 0x7f800000U));
  const auto is_special = hn::Gt(magnitude, hn::Set(du, 0x0f7fffffU));
  return hn::BitCast(df, hn::Or(sign, hn::IfThenElse(is_special, special, scaled)));
}

// Returns how many values it did: all but the last few.
std::size_t widen_lanes(const std::byte* halves, std::span<float> out) {
  const Float df;
  const Bits du;
  const hn::Rebind<std::uint16_t, Float> d16;
  const std::size_t lanes = hn::Lanes(df);
  HWY_ALIGN std::uint16_t aligned[HWY_MAX_BYTES / sizeof(float)];
  std::size_t i = 0;
  for (; i + lanes <= out.size(); i += lanes) {
    std::memcpy(aligned, halves + 2 * i, lanes * sizeof(std::uint16_t));
    hn::StoreU(widen(hn::PromoteTo(du, hn::Load(d16, aligned))), df, out.data() + i);
  }
  return i;
}

// To the nearest half, ties to even, in the low 16 bits of each lane; finite values. Highway's own
// conversion rounds so with F16C alone: without it subnormal halves come out wrong.
hn::Vec<Bits> narrow(hn::Vec<Float> value) {
  const Float df;
  const Bits du;
  const auto bits = hn::BitCast(du, value);
  const auto sign = hn::And(bits, hn::Set(du, 0x80000000U));
  const auto magnitude = hn::Xor(bits, sign);
  // Subnormal halves are multiples of 2^-24, floats between 0.5 and 1 too: adding 0.5 rounds.
  const auto half = hn::Set(df, 0.5F);
  const auto small =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(df, magnitude), half)), hn::BitCast(du, half));
  // Else a half has 13 bits less of mantissa, and its exponent counts from 15 in place of 127. What
  // rounding carries over goes to the exponent, where it belongs.
  const auto is_odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1U));
  const auto rounded = hn::Add(hn::Add(magnitude, hn::Set(du, 0xfffU)), is_odd);
  const auto normal = hn::ShiftRight<13>(hn::Sub(rounded, hn::Set(du, (127U - 15U) << 23U)));
  // From 65520 on, half way to what would be the next number: infinity.
  const auto infinite = hn::Set(du, 0x7c00U);
  auto result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x477fefffU)), infinite, normal);
  result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x38800000U)), small, result);
  return hn::Or(result, hn::ShiftRight<16>(sign));
}

// As above where there is an instruction for it.
hn::Vec<hn::Rebind<std::uint16_t, Float>> to_halves(hn::Vec<Float> value) {
  const hn::Rebind<std::uint16_t, Float> du16;
#if HWY_TARGET <= HWY_AVX2  // the better, the lower
  return hn::BitCast(du16, hn::DemoteTo(hn::Rebind<hwy::float16_t, Float>(), value));
#else
  return hn::DemoteTo(du16, hn::BitCast(hn::RebindToSigned<Float>(), narrow(value)));
#endif
}

// Returns how many values it did: all but the last few.
std::size_t narrow_lanes(std::span<const float> values, std::uint16_t* out) {
  const Float df;
  const hn::Rebind<std::uint16_t, Float> du16;
  std::size_t i = 0;
  for (; i + hn::Lanes(df) <= values.size(); i += hn::Lanes(df)) {
    hn::StoreU(to_halves(hn::LoadU(df, values.data() + i)), du16, out + i);
  }
  return i;
}

bool finite_lanes(std::span<const float> values) {
  const Float df;
  const std::size_t lanes = hn::Lanes(df);
  // x - x is 0 for every number, NaN for infinity and NaN: one sum tells of all.
  hn::Vec<Float> sum = hn::Zero(df);
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    const auto x = hn::LoadU(df, values.data() + i);
    sum = hn::Add(sum, hn::Sub(x, x));
  }
  float total = hn::GetLane(hn::SumOfLanes(df, sum));
  for (; i < values.size(); ++i) total += values[i] - values[i];
  return total == 0;
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {

HWY_EXPORT(widen_lanes);
HWY_EXPORT(narrow_lanes);
HWY_EXPORT(finite_lanes);

// The exponent is moved by a multiplication, which makes normal numbers of subnormal ones; all ones
// in the exponent (infinity, NaN) have to stay all ones.
float widen_f16(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t magnitude = (half & 0x7fffU) << 13U;
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const std::uint32_t value = magnitude >= 0x0f800000U ? magnitude | 0x7f800000U : scaled;
  return std::bit_cast<float>(sign | value);
}

void widen_f16(std::span<const std::byte> halves, std::span<float> out) {
  std::size_t i = HWY_DYNAMIC_DISPATCH(widen_lanes)(halves.data(), out);
  for (; i < out.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, halves.data() + 2 * i, sizeof(half));
    out[i] = widen_f16(half);
  }
}

void narrow_f16(std::span<const float> values, std::span<std::uint16_t> out) {
  assert(values.size() == out.size());
  const std::size_t done = HWY_DYNAMIC_DISPATCH(narrow_lanes)(values, out.data());
  if (done == values.size()) return;
  // The last few through a whole vector, so that they are rounded by the same instruction.
  constexpr std::size_t kMaxLanes = 16;  // of the widest target, not of the one that runs here
  float padded[kMaxLanes] = {};
  std::uint16_t halves[kMaxLanes] = {};
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(done), values.end(), padded);
  HWY_DYNAMIC_DISPATCH(narrow_lanes)(std::span<const float>(padded), halves);
  std::copy_n(halves, values.size() - done, out.data() + done);
}

bool are_f16(std::span<const float> values) {
  std::array<std::uint16_t, 256> halves;
  std::array<float, halves.size()> widened;
  while (!values.empty()) {
    const auto block = values.first(std::min(values.size(), halves.size()));
    values = values.subspan(block.size());
    const auto narrow = std::span(halves).first(block.size());
    const auto wide = std::span(widened).first(block.size());
    narrow_f16(block, narrow);
    widen_f16(std::as_bytes(narrow), wide);
    if (!std::ranges::equal(block, wide)) return false;
  }
  return true;
}

bool all_finite(std::span<const float> values) {
  return HWY_DYNAMIC_DISPATCH(finite_lanes)(values);
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
