// Products in fp32, and with a right side in fp16.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/products/gemm_of_number.h"

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/kernels/products/f32_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "models/kernels/vectors/simd_math-inl.h"
#include "models/kernels/products/gemm_tile-inl.h"
#include "models/kernels/products/gemm_panels-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

void f32_gemm(const Product& product, MatrixView c, const ProductShare& share) {
  if (product.b.number() == DataType::f32) {
    multiply<FloatTerms<float>>(product, c, share);
  } else {
    multiply<FloatTerms<hwy::float16_t>>(product, c, share);
  }
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::kernels {
namespace {

HWY_EXPORT(f32_gemm);

}  // namespace

void multiply_f32(const Product& product, MatrixView c, const ProductShare& share) {
  HWY_DYNAMIC_DISPATCH(f32_gemm)(product, c, share);
}

}  // namespace wnpu::kernels
#endif  // HWY_ONCE
