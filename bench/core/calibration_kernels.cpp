#include "bench/core/calibration_kernels.h"

#include <cassert>
#include <cstdint>

#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/instruction_set.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/core/calibration_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "models/kernels/products/vnni-inl.h"
// clang-format on

#ifndef WNPU_IN_VECTOR  // a vector register as an operand of asm that is read and written
#if HWY_ARCH_ARM_A64
#define WNPU_IN_VECTOR(x) "+w"(x)
#else
#define WNPU_IN_VECTOR(x) "+v"(x)
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::bench::yardstick::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Float = hn::ScalableTag<float>;
using FloatVec = hn::Vec<Float>;

double multiply_add_rounds(std::size_t rounds, float& sink) {
  const Float d;
  // Each starts elsewhere: the compiler makes one sum of those that are alike.
  const auto start = [&d](float value) { return hn::Set(d, value); };
  FloatVec s0 = start(0), s1 = start(1), s2 = start(2), s3 = start(3), s4 = start(4);
  FloatVec s5 = start(5), s6 = start(6), s7 = start(7), s8 = start(8), s9 = start(9);
  FloatVec s10 = start(10), s11 = start(11);
  const FloatVec a = hn::Set(d, sink);
  const FloatVec b = hn::Set(d, 0.5F);
  for (std::size_t i = 0; i < rounds; ++i) {
    s0 = hn::MulAdd(s0, a, b), s1 = hn::MulAdd(s1, a, b), s2 = hn::MulAdd(s2, a, b);
    s3 = hn::MulAdd(s3, a, b), s4 = hn::MulAdd(s4, a, b), s5 = hn::MulAdd(s5, a, b);
    s6 = hn::MulAdd(s6, a, b), s7 = hn::MulAdd(s7, a, b), s8 = hn::MulAdd(s8, a, b);
    s9 = hn::MulAdd(s9, a, b), s10 = hn::MulAdd(s10, a, b), s11 = hn::MulAdd(s11, a, b);
  }
  const FloatVec low = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(s4, s5));
  const FloatVec high = hn::Add(hn::Add(hn::Add(s6, s7), hn::Add(s8, s9)), hn::Add(s10, s11));
  sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
  return 2.0 * static_cast<double>(rounds * kMultiplyAddChains * hn::Lanes(d));
}

using Int = hn::ScalableTag<std::int32_t>;
using IntVec = hn::Vec<Int>;
#if HWY_TARGET == HWY_SCALAR
using PairVec = IntVec;  // one product a sum: int16 has no lane of its own there
constexpr std::size_t kProducts = 1;
PairVec pairs_of(int value) { return hn::Set(Int(), value); }
HWY_INLINE void add_products(PairVec& a, PairVec b, IntVec& s) {
  asm volatile("" : "+r"(a.raw));
  s = hn::Add(s, hn::Mul(a, b));
}
#else
using PairVec = hn::Vec<hn::ScalableTag<std::int16_t> >;
constexpr std::size_t kProducts = 2;
PairVec pairs_of(int value) {
  return hn::Set(hn::ScalableTag<std::int16_t>(), static_cast<std::int16_t>(value));
}
// The left side is a new one each time as far as the compiler knows, or all sums would be one.
HWY_INLINE void add_products(PairVec& a, PairVec b, IntVec& s) {
  asm volatile("" : WNPU_IN_VECTOR(a.raw));
#if HWY_TARGET == HWY_NEON  // as models/kernels/products/gemm_tile-inl.h
  const int32x4_t low = vmull_s16(vget_low_s16(a.raw), vget_low_s16(b.raw));
  s.raw = vaddq_s32(s.raw, vpaddq_s32(low, vmull_high_s16(a.raw, b.raw)));
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  IntVec unused = hn::Zero(Int());
  // In place: GCC 12 adds into the product and moves it back otherwise.
  const IntVec products = hn::ReorderWidenMulAccumulate(Int(), a, b, hn::Zero(Int()), unused);
  asm volatile("vpaddd %1, %0, %0" : "+v"(s.raw) : "v"(products.raw));
#else
  IntVec unused = hn::Zero(Int());
  s = hn::ReorderWidenMulAccumulate(Int(), a, b, s, unused);
  asm volatile("" : "+v"(s.raw));
#endif
}
#endif

#if HWY_TARGET == HWY_NEON
struct FourBytes {
  static constexpr std::size_t kProducts = 4;
  static HWY_INLINE void add(PairVec& a, PairVec b, IntVec& s) {
    asm volatile("" : WNPU_IN_VECTOR(a.raw));
    asm volatile(".arch armv8.2-a+dotprod+crypto\n\tsdot %0.4s, %1.16b, %2.16b"
                 : "+w"(s.raw)
                 : "w"(a.raw), "w"(b.raw));
  }
};
#elif HWY_TARGET <= HWY_AVX2
struct FourBytes {
  static constexpr std::size_t kProducts = 4;
  static HWY_INLINE void add(PairVec& a, PairVec b, IntVec& s) {
    asm volatile("" : "+v"(a.raw));
    kernels::HWY_NAMESPACE::add_quads(a, b, s);
  }
};
struct TwoInt16OfVnni {
  static constexpr std::size_t kProducts = HWY_NAMESPACE::kProducts;
  static HWY_INLINE void add(PairVec& a, PairVec b, IntVec& s) {
    asm volatile("" : "+v"(a.raw));
    kernels::HWY_NAMESPACE::add_pairs(a, b, s);
  }
};
#endif

struct TwoInt16 {
  static constexpr std::size_t kProducts = HWY_NAMESPACE::kProducts;
  static HWY_INLINE void add(PairVec& a, PairVec b, IntVec& s) { add_products(a, b, s); }
};

template <typename Terms>
double integer_rounds(std::size_t rounds, float& sink) {
  const Int d;
  IntVec s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  IntVec s6 = s0, s7 = s0, s8 = s0, s9 = s0, s10 = s0, s11 = s0;
  PairVec a = pairs_of(static_cast<int>(sink));
  const PairVec b = pairs_of(3);
  for (std::size_t i = 0; i < rounds; ++i) {
    Terms::add(a, b, s0), Terms::add(a, b, s1), Terms::add(a, b, s2);
    Terms::add(a, b, s3), Terms::add(a, b, s4), Terms::add(a, b, s5);
    Terms::add(a, b, s6), Terms::add(a, b, s7), Terms::add(a, b, s8);
    Terms::add(a, b, s9), Terms::add(a, b, s10), Terms::add(a, b, s11);
  }
  const IntVec low = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(s4, s5));
  const IntVec high = hn::Add(hn::Add(hn::Add(s6, s7), hn::Add(s8, s9)), hn::Add(s10, s11));
  sink = static_cast<float>(hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high))) % 2);
  return 2.0 * static_cast<double>(rounds * kMultiplyAddChains * Terms::kProducts * hn::Lanes(d));
}

double integer_multiply_add_rounds(std::size_t rounds, float& sink) {
#if HWY_TARGET <= HWY_AVX2
  if (kernels::has_byte_instructions()) return integer_rounds<TwoInt16OfVnni>(rounds, sink);
#endif
  return integer_rounds<TwoInt16>(rounds, sink);
}

double byte_multiply_add_rounds([[maybe_unused]] std::size_t rounds, [[maybe_unused]] float& sink) {
#if HWY_TARGET == HWY_NEON || HWY_TARGET <= HWY_AVX2
  return kernels::has_byte_instructions() ? integer_rounds<FourBytes>(rounds, sink) : 0;
#else
  return 0;
#endif
}

// Four rows of a times two vectors of columns of b: c[0..4, 0..2 lanes) in eight sums.
void gemm_tile(const float* a, const float* b, float* c) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVec c00 = hn::Zero(d), c01 = c00, c10 = c00, c11 = c00;
  FloatVec c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  for (std::size_t k = 0; k < kGemmSize; ++k) {
    const FloatVec b0 = hn::LoadU(d, b + k * kGemmSize);
    const FloatVec b1 = hn::LoadU(d, b + k * kGemmSize + lanes);
    const FloatVec a0 = hn::Set(d, a[k]);
    const FloatVec a1 = hn::Set(d, a[k + kGemmSize]);
    const FloatVec a2 = hn::Set(d, a[k + 2 * kGemmSize]);
    const FloatVec a3 = hn::Set(d, a[k + 3 * kGemmSize]);
    c00 = hn::MulAdd(a0, b0, c00), c01 = hn::MulAdd(a0, b1, c01);
    c10 = hn::MulAdd(a1, b0, c10), c11 = hn::MulAdd(a1, b1, c11);
    c20 = hn::MulAdd(a2, b0, c20), c21 = hn::MulAdd(a2, b1, c21);
    c30 = hn::MulAdd(a3, b0, c30), c31 = hn::MulAdd(a3, b1, c31);
  }
  hn::StoreU(c00, d, c), hn::StoreU(c01, d, c + lanes);
  hn::StoreU(c10, d, c + kGemmSize), hn::StoreU(c11, d, c + kGemmSize + lanes);
  hn::StoreU(c20, d, c + 2 * kGemmSize), hn::StoreU(c21, d, c + 2 * kGemmSize + lanes);
  hn::StoreU(c30, d, c + 3 * kGemmSize), hn::StoreU(c31, d, c + 3 * kGemmSize + lanes);
}

void gemm_tiles(std::span<const float> a, std::span<const float> b, std::span<float> c) {
  const std::size_t columns = 2 * hn::Lanes(Float());
  for (std::size_t i = 0; i < kGemmSize; i += 4) {
    for (std::size_t j = 0; j < kGemmSize; j += columns) {
      gemm_tile(&a[i * kGemmSize], &b[j], &c[i * kGemmSize + j]);
    }
  }
}

float sum_all(std::span<const float> values) {
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  FloatVec s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (std::size_t i = 0; i < values.size(); i += 4 * lanes) {
    s0 = hn::Add(s0, hn::LoadU(d, &values[i]));
    s1 = hn::Add(s1, hn::LoadU(d, &values[i + lanes]));
    s2 = hn::Add(s2, hn::LoadU(d, &values[i + 2 * lanes]));
    s3 = hn::Add(s3, hn::LoadU(d, &values[i + 3 * lanes]));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

}  // namespace wnpu::bench::yardstick::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::bench::yardstick {

HWY_EXPORT(multiply_add_rounds);
HWY_EXPORT(integer_multiply_add_rounds);
HWY_EXPORT(byte_multiply_add_rounds);
HWY_EXPORT(gemm_tiles);
HWY_EXPORT(sum_all);

double multiply_add(std::size_t rounds, float& sink) {
  return HWY_DYNAMIC_DISPATCH(multiply_add_rounds)(rounds, sink);
}

double integer_multiply_add(std::size_t rounds, float& sink) {
  return HWY_DYNAMIC_DISPATCH(integer_multiply_add_rounds)(rounds, sink);
}

double byte_multiply_add(std::size_t rounds, float& sink) {
  if (kernels::has_amx_instructions()) return amx_multiply_add(rounds);
  return HWY_DYNAMIC_DISPATCH(byte_multiply_add_rounds)(rounds, sink);
}

void gemm(std::span<const float> a, std::span<const float> b, std::span<float> c) {
  assert(a.size() == kGemmSize * kGemmSize && b.size() == a.size() && c.size() == a.size());
  HWY_DYNAMIC_DISPATCH(gemm_tiles)(a, b, c);
}

float sum(std::span<const float> values) {
  assert(values.size() % 64 == 0);
  return HWY_DYNAMIC_DISPATCH(sum_all)(values);
}

}  // namespace wnpu::bench::yardstick
#endif  // HWY_ONCE
