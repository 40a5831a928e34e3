// Products in int16, and with a right side of 8 bits.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/products/gemm_of_number.h"
#include "models/kernels/vectors/instruction_set.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/products/i16_gemm.cpp"
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

#if HWY_TARGET <= HWY_AVX2
// IntegerTerms, whose sums VNNI makes.
template <typename B>
struct VnniTerms : IntegerTerms<B> {
  static HWY_INLINE void add(PairVec a, PairVec b, IntVec& sum) { add_pairs(a, b, sum); }
};
#endif

template <template <typename> typename Terms>
void multiply_pairs(const Product& product, MatrixView c, const ProductShare& share) {
  if (product.b.number() == DataType::i16) {
    multiply<Terms<std::int16_t>>(product, c, share);
  } else {
    multiply<Terms<std::int8_t>>(product, c, share);
  }
}

void i16_gemm(const Product& product, MatrixView c, const ProductShare& share) {
#if HWY_TARGET <= HWY_AVX2
  if (has_byte_instructions()) return multiply_pairs<VnniTerms>(product, c, share);
#endif
#if HWY_TARGET != HWY_AVX3_DL  // which always has them
  multiply_pairs<IntegerTerms>(product, c, share);
#endif
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {
namespace {

HWY_EXPORT(i16_gemm);

}  // namespace

void multiply_i16(const Product& product, MatrixView c, const ProductShare& share) {
  HWY_DYNAMIC_DISPATCH(i16_gemm)(product, c, share);
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
