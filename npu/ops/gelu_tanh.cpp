// An operator of a shared library: GELU in its tanh form, x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715
// x^3))), in the place of the exact one: same sizes, operands and layouts as the operator `gelu`.
//
//   c++ -std=c++20 -O2 -shared -fPIC -I . -I npu/ops npu/ops/gelu_tanh.cpp -o gelu_tanh.so
//   whisper-npu npu op validate gelu_tanh --operator gelu_tanh.so
//   whisper-npu transcribe --device sim --operator gelu_tanh.so --npu-operator gelu=gelu_tanh
//   talk.wav
//
// The first two lines choose the vectors of 16 bytes that every x86-64 has, under a name of their
// own, for the tile kernels' headers.
#define WNPU_TILE_TARGET outside
#define WNPU_TILE_BYTES 16
#include <cmath>
#include <cstddef>
#include <whisper_npu_operator.h>

#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_rows.h"

namespace {

using namespace wnpu::npu::kernel;
using wnpu::npu::bfloat16;

// Exact result (double) and CPU reference (float). x/2 (1 + tanh z) is x / (1 + e^-2z), which loses
// nothing where tanh comes near -1.
template <typename T>
int gelu_tanh(const whisper_npu_operator_call* call) {
  const std::size_t m = call->sizes[0];
  const std::size_t n = call->sizes[1];
  const T* const c = static_cast<const T*>(call->inputs[0]);
  const T* const bias = static_cast<const T*>(call->inputs[1]);
  T* const y = static_cast<T*>(call->outputs[0]);
  for (std::size_t i = 0; i < m * n; ++i) {
    const T x = c[i] + bias[i % n];
    const T z = T(0.797884560802865355) * (x + T(0.044715) * x * x * x);
    y[i] = x < -20 ? T(0) : x / (1 + std::exp(-2 * z));
  }
  return 0;
}

// The tile kernel, on one 4x4 tile, a vector of 16 floats, at a time. As above: for positive x it
// is x / (1 + e), for negative ones x e / (1 + e), e = e^-2|z| = 2^-s.

[[gnu::always_inline]] inline Vec16 floats(float value) { return aie::broadcast<float, 16>(value); }

[[gnu::always_inline]] inline Vec16 times(const Vec16& a, const Vec16& b) { return product(a, b); }

// 2^-s for s from 0 to 25: (2^(-s/64))^64, a polynomial of degree 5 and six squares.
[[gnu::always_inline]] inline Vec16 exp2_of_minus(const Vec16& s) {
  // (-ln 2 / 64)^i / i!
  constexpr float kCoefficients[6] = {
      1.0f, -1.08304247e-2f, 5.86490495e-5f, -2.11731371e-7f, 5.73285168e-10f, -1.24178437e-12f};
  Vec16 p = floats(kCoefficients[5]);
  for (std::size_t power = 5; power-- > 0;) {
    Acc16 acc;
    acc.from_vector(floats(kCoefficients[power]));
    p = aie::mac(acc, s, p).template to_vector<float>();
  }
  for (int square = 0; square < 6; ++square) p = times(p, p);
  return p;
}

[[gnu::always_inline]] inline Vec16 gelu_tanh_of(const Vec16& x) {
  using Ints16 = aie::vector<std::int32_t, 16>;
  const Ints16 zero = aie::zeros<std::int32_t, 16>();
  const Ints16 sign_off = aie::broadcast<std::int32_t, 16>(0x7fffffff);
  const Ints16 infinity = aie::broadcast<std::int32_t, 16>(0x7f800000);
  const Ints16 end = aie::broadcast<std::int32_t, 16>(0x40a00000);  // 5.0: e^-2z is below 1e-10
  const Ints16 bits = x.template cast_to<std::int32_t>();
  const Ints16 magnitude = aie::bit_and(bits, sign_off);
  const Vec16 u = aie::min(magnitude, end).template cast_to<float>();
  // s = 2 log2(e) sqrt(2/pi) (u + 0.044715 u^3)
  const Vec16 cubic = times(floats(0.102943240f), times(u, u));
  const Vec16 s = times(u, aie::add(floats(2.30220819f), cubic));
  const Vec16 e = exp2_of_minus(s);
  const Vec16 upper = aie::inv(aie::add(floats(1.0f), e));
  const auto is_negative = aie::lt(bits, zero);
  const Vec16 share = aie::select(upper, times(e, upper), is_negative);
  const Vec16 minus_u = aie::sub(aie::zeros<float, 16>(), u);
  const Vec16 y = times(aie::select(x, minus_u, is_negative), share);
  return aie::select(y, x, aie::lt(infinity, magnitude));  // NaN stays
}

int tile(const whisper_npu_operator_call* call) {
  set_modes(wnpu::npu::Rounding::nearest_even);
  const TileShape shape{call->sizes[0], call->sizes[1]};
  const auto* const c = static_cast<const float*>(call->inputs[0]);
  const auto* const bias = static_cast<const float*>(call->inputs[1]);
  auto* const y = static_cast<bfloat16*>(call->outputs[0]);
  for_each_tile(shape, bias, [=](std::size_t at, const Acc16& b) {
    store_float(y + at, gelu_tanh_of(biased(c + at, b)));
  });
  return 0;
}

// A bound from below: a core begins one product a cycle, and a vector of 16 elements takes 291, of
// three bfloat16 parts of each float (npu/kernel/op_counts.h counts them).
double cycles(const uint64_t* sizes, const double* /*attributes*/) {
  return 291.0 / 16 * static_cast<double>(sizes[0] * sizes[1]);
}

const whisper_npu_operator_size kSizes[] = {{"m", 4, 64}, {"n", 8, 64}};
const whisper_npu_operand kInputs[] = {
    {"c", WHISPER_NPU_FLOAT32, 0, 1, 4, 4, 0, 0},
    {"bias", WHISPER_NPU_FLOAT32, 1, -1, 1, 1, 0, 0},
};
const whisper_npu_operand kOutputs[] = {{"y", WHISPER_NPU_BFLOAT16, 0, 1, 4, 4, 2e-6, 5e-6}};

whisper_npu_operator make_operator() {
  whisper_npu_operator op = {};
  op.size = sizeof op;
  op.version = WHISPER_NPU_OPERATOR_VERSION;
  op.name = "gelu_tanh";
  op.summary = "y = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), x = c + bias";
  op.sizes = kSizes;
  op.n_sizes = 2;
  op.inputs = kInputs;
  op.n_inputs = 2;
  op.outputs = kOutputs;
  op.n_outputs = 1;
  op.largest = 1e12;  // cubes stay finite in float
  op.keeps_nan = 1;
  op.exact = gelu_tanh<double>;
  op.reference = gelu_tanh<float>;
  op.tile = tile;
  op.cycles = cycles;
  op.cycles_provenance = WHISPER_NPU_CYCLES_COUNTED;
  op.cycles_source = "291 products for 16 elements; least cycles, by products";
  return op;
}

}  // namespace

extern "C" const whisper_npu_operator* whisper_npu_operator_entry(uint64_t version) {
  static const whisper_npu_operator kOperator = make_operator();
  return version == WHISPER_NPU_OPERATOR_VERSION ? &kOperator : nullptr;
}
