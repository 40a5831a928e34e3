// Products, and what follows them on a tile.
#include <cmath>

#include "npu/core/core_memory.h"
#include "npu/ops/entries.h"

namespace wnpu::npu::entries {
namespace {

using Type = ElementType;
using Kernels = kernel::TileKernels;

// c = a b.
template <typename T>
void product(const OperatorCall& call) {
  const std::size_t m = call.sizes[0], k = call.sizes[1], n = call.sizes[2];
  const T* a = input<T>(call, 0);
  const T* b = input<T>(call, 1);
  for (std::size_t i = 0; i < m * n; ++i) {
    T sum = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const T term = a[i / n * k + j] * b[j * n + i % n];
      sum += term;
      magnitude += std::abs(static_cast<double>(term));
    }
    output<T>(call)[i] = sum;
    note_magnitude(call, i, magnitude);
  }
}

Operator gemm_bf16() {
  return with_tile(
      {.name = "gemm_bf16",
       .summary = "c = a b in bfloat16, sums in float",
       .sizes = {{"m", 8, kMaxTileRows}, {"k", 8, kElementBytes / 16}, {"n", 8, kParameterFloats}},
       .inputs = {{"a", Type::bfloat16, 0, 1, 4, 8}, {"b", Type::bfloat16, 1, 2, 8, 4}},
       .outputs = {{"c", Type::float32, 0, 2, 4, 4,
                    [](const Sizes& s) {
                      return ErrorBound{0, (3 + static_cast<double>(s[1]) / 8) * kStep};
                    }}},
       .largest = 1e17,  // sums of 512 products stay finite
       .exact = product<double>,
       .reference = product<float>,
       .kernel = Kernel::gemm_bf16,
       .tasks = {Task::load_parameters, Task::multiply}},
      [](const Kernels& t, const OperatorCall& call) {
        const kernel::GemmShape shape{call.sizes[0], call.sizes[1], call.sizes[2]};
        t.fill(shape.m * shape.n, 0, output<float>(call));
        t.gemm_bf16(shape, input<bfloat16>(call, 0), input<bfloat16>(call, 1), output<float>(call));
      });
}

Operator gemm_int8() {
  return with_tile(
      {.name = "gemm_int8",
       .summary = "c = a b in int8, sums in int32",
       .sizes = {{"m", 8, kMaxTileRows}, {"k", 8, kElementBytes / 8}, {"n", 16, kParameterFloats}},
       .inputs = {{"a", Type::int8, 0, 1, 4, 8}, {"b", Type::int8, 1, 2, 8, 8}},
       .outputs = {{"c", Type::int32, 0, 2, 4, 8, bound(0, 0)}},
       .exact = product<double>,
       .reference = product<float>,
       .kernel = Kernel::gemm_int8,
       .tasks = {Task::load_parameters, Task::multiply}},
      [](const Kernels& t, const OperatorCall& call) {
        const kernel::GemmShape shape{call.sizes[0], call.sizes[1], call.sizes[2]};
        t.fill(shape.m * shape.n, 0, output<float>(call));
        t.gemm_int8(shape, input<std::int8_t>(call, 0), input<std::int8_t>(call, 1),
                    output<std::int32_t>(call));
      });
}

// y = c + bias, without its references and tile kernel.
Operator after_product(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .sizes = {{"m", 4, kMaxTileRows}, {"n", 8, kParameterFloats}},
          .inputs = {{"c", Type::float32, 0, 1, 4, 4}, {"bias", Type::float32, 1}},
          .outputs = {{"y", Type::bfloat16, 0, 1, 4, 4, bound(0, kStep)}},
          .largest = 1e37};
}

// The operator as the part of a product's phase that comes after its sums.
Operator finished_by(Operator op, Kernel kernel, Task task) {
  op.kernel = kernel;
  op.tasks = {task};
  return op;
}

template <typename T>
void add_bias(const OperatorCall& call) {
  const std::size_t m = call.sizes[0], n = call.sizes[1];
  for (std::size_t i = 0; i < m * n; ++i) {
    const T c = input<T>(call, 0)[i];
    const T b = input<T>(call, 1)[i % n];
    output<T>(call)[i] = c + b;
    note_magnitude(call, i, std::abs(static_cast<double>(c)) + std::abs(static_cast<double>(b)));
  }
}

kernel::TileShape tile_shape(const OperatorCall& call) { return {call.sizes[0], call.sizes[1]}; }

Operator bias() {
  Operator op = after_product("bias", "y = c + bias, stored as bfloat16");
  op.exact = add_bias<double>;
  op.reference = add_bias<float>;
  return with_tile(finished_by(op, Kernel::gemm_bf16, Task::finish_bias),
                   [](const Kernels& t, const OperatorCall& call) {
                     t.bias_bf16(tile_shape(call), input<float>(call, 0), input<float>(call, 1),
                                 output<bfloat16>(call), kRounding);
                   });
}

// gelu(x) = x/2 (1 + erf(x / sqrt 2)); its limit is 0 at minus infinity.
template <typename T>
void gelu_of(const OperatorCall& call) {
  add_bias<T>(call);
  constexpr T kRootHalf = static_cast<T>(0.70710678118654752440);
  for (std::size_t i = 0; i < call.sizes[0] * call.sizes[1]; ++i) {
    T& x = output<T>(call)[i];
    x = x < -64 ? T{0} : x / 2 * std::erfc(-x * kRootHalf);
  }
}

Operator gelu() {
  Operator op = after_product("gelu", "y = gelu(c + bias), gelu(x) = x/2 (1 + erf(x / sqrt 2))");
  op.outputs[0].bound = bound(2.2e-5, 4 * kStep);
  op.exact = gelu_of<double>;
  op.reference = gelu_of<float>;
  return with_tile(finished_by(op, Kernel::gemm_bf16, Task::finish_gelu),
                   [](const Kernels& t, const OperatorCall& call) {
                     t.bias_gelu(tile_shape(call), input<float>(call, 0), input<float>(call, 1),
                                 output<bfloat16>(call), kRounding);
                   });
}

template <typename T>
void add_residual(const OperatorCall& call) {
  const std::size_t m = call.sizes[0], n = call.sizes[1];
  for (std::size_t i = 0; i < m * n; ++i) {
    const T terms[3] = {input<T>(call, 0)[i], input<T>(call, 1)[i % n], input<T>(call, 2)[i]};
    output<T>(call)[i] = terms[0] + terms[1] + terms[2];
    double magnitude = 0;
    for (const T term : terms) magnitude += std::abs(static_cast<double>(term));
    note_magnitude(call, i, magnitude);
  }
}

Operator residual() {
  Operator op = after_product("bias_residual", "y = x + c + bias, stored as bfloat16");
  op.inputs.push_back({"x", Type::bfloat16, 0, 1, 4, 4});
  op.outputs[0].bound = bound(0, 2 * kStep);
  op.exact = add_residual<double>;
  op.reference = add_residual<float>;
  return with_tile(finished_by(op, Kernel::gemm_bf16, Task::finish_residual),
                   [](const Kernels& t, const OperatorCall& call) {
                     const kernel::TileShape s = tile_shape(call);
                     t.copy(s.m * s.n, input<bfloat16>(call, 2), output<bfloat16>(call));
                     t.bias_residual_bf16(s, input<float>(call, 0), input<float>(call, 1),
                                          output<bfloat16>(call), kRounding);
                   });
}

template <typename T>
void scale_back(const OperatorCall& call) {
  const std::size_t m = call.sizes[0], n = call.sizes[1];
  for (std::size_t i = 0; i < m * n; ++i) {
    output<T>(call)[i] = input<T>(call, 1)[i / n] * input<T>(call, 2)[i % n] * input<T>(call, 0)[i];
  }
}

Operator dequantise() {
  return with_tile({.name = "dequantise",
                    .summary = "y = c * row scale * column scale, int32 to float",
                    .sizes = {{"m", 4, kMaxTileRows}, {"n", 8, kParameterFloats}},
                    .inputs = {{"c", Type::int32, 0, 1, 4, 8},
                               {"row_scale", Type::float32, 0},
                               {"column_scale", Type::float32, 1}},
                    .outputs = {{"y", Type::float32, 0, 1, 4, 4, bound(0, 3 * kStep)}},
                    .largest = 1e14,
                    .exact = scale_back<double>,
                    .reference = scale_back<float>,
                    .kernel = Kernel::gemm_int8,
                    .tasks = {Task::finish_bias}},
                   [](const Kernels& t, const OperatorCall& call) {
                     t.dequantise(tile_shape(call), input<std::int32_t>(call, 0),
                                  input<float>(call, 1), input<float>(call, 2),
                                  output<float>(call));
                   });
}

}  // namespace

std::vector<Operator> product_operators() {
  return {gemm_bf16(), gemm_int8(), bias(), gelu(), residual(), dequantise()};
}

}  // namespace wnpu::npu::entries
