// Products, and what follows them on a tile.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "npu/core/core_memory.h"
#include "npu/ops/entries.h"

namespace wnpu::npu::entries {
namespace {

using Type = ElementType;

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
  Operator op;
  op.name = "gemm_bf16";
  op.summary = "c = a b in bfloat16, sums in float";
  op.sizes = {{"m", 8, kMaxTileRows}, {"k", 8, kElementBytes / 16}, {"n", 8, kParameterFloats}};
  op.inputs = {{"a", Type::bfloat16, 0, 1, 4, 8}, {"b", Type::bfloat16, 1, 2, 8, 4}};
  op.outputs = {{"c", Type::float32, 0, 2, 4, 4, [](const Sizes& s) {
                   return ErrorBound{0, (3 + static_cast<double>(s[1]) / 8) * kStep};
                 }}};
  op.largest = 1e17;  // sums of 512 products stay finite
  set_references(op, product<double>, product<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    const kernel::GemmShape shape{call.sizes[0], call.sizes[1], call.sizes[2]};
    t.layer.fill(shape.m * shape.n, 0, output<float>(call));
    t.layer.gemm_bf16(shape, input<bfloat16>(call, 0), input<bfloat16>(call, 1),
                      output<float>(call));
  });
  op.phase = [](const Sizes& s) {
    return PhaseHeader{Kernel::gemm_bf16, Epilogue::bias, 1,           1,
                       narrow(s[0]),      narrow(s[1]),   narrow(s[2])};
  };
  op.tasks = {Task::load_parameters, Task::multiply};
  op.rates = {&KernelTable::bf16_mac_per_cycle};
  return op;
}

Operator gemm_int8() {
  Operator op;
  op.name = "gemm_int8";
  op.summary = "c = a b in int8, sums in int32";
  op.sizes = {{"m", 8, kMaxTileRows}, {"k", 8, kElementBytes / 8}, {"n", 16, kParameterFloats}};
  op.inputs = {{"a", Type::int8, 0, 1, 4, 8}, {"b", Type::int8, 1, 2, 8, 8}};
  op.outputs = {{"c", Type::int32, 0, 2, 4, 8, bound(0, 0)}};
  set_references(op, product<double>, product<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    const kernel::GemmShape shape{call.sizes[0], call.sizes[1], call.sizes[2]};
    t.layer.fill(shape.m * shape.n, 0, output<float>(call));
    t.layer.gemm_int8(shape, input<std::int8_t>(call, 0), input<std::int8_t>(call, 1),
                      output<std::int32_t>(call));
  });
  op.phase = [](const Sizes& s) {
    return PhaseHeader{Kernel::gemm_int8, Epilogue::bias, 1,           1,
                       narrow(s[0]),      narrow(s[1]),   narrow(s[2])};
  };
  op.tasks = {Task::load_parameters, Task::multiply};
  op.rates = {&KernelTable::int8_mac_per_cycle};
  return op;
}

// The part of a product's phase that comes after its sums.
std::function<PhaseHeader(const Sizes&)> finished_by(Kernel kernel, Epilogue epilogue) {
  return [=](const Sizes& s) {
    return PhaseHeader{kernel, epilogue, 1, 1, narrow(s[0]), 8, narrow(s[1])};
  };
}

// y = c + bias in `result`, without its reference and tile kernel.
Operator after_product(const char* name, const char* summary, Type result) {
  Operator op;
  op.name = name;
  op.summary = summary;
  op.sizes = {{"m", 4, kMaxTileRows}, {"n", 8, kParameterFloats}};
  op.inputs = {{"c", Type::float32, 0, 1, 4, 4}, {"bias", Type::float32, 1}};
  op.outputs = {{"y", result, 0, 1, 4, 4, bound(0, kStep)}};
  op.largest = 1e37;
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

Operator bias_bf16() {
  Operator op = after_product("bias", "y = c + bias, stored as bfloat16", Type::bfloat16);
  set_references(op, add_bias<double>, add_bias<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    t.layer.bias_bf16(tile_shape(call), input<float>(call, 0), input<float>(call, 1),
                      output<bfloat16>(call), kRounding);
  });
  op.phase = finished_by(Kernel::gemm_bf16, Epilogue::bias);
  op.tasks = {Task::finish_bias};
  op.rates = {&KernelTable::epilogue_cycles};
  return op;
}

Operator bias_float() {
  Operator op = after_product("bias_float", "y = c + bias in float", Type::float32);
  set_references(op, add_bias<double>, add_bias<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    t.layer.bias_float(tile_shape(call), input<float>(call, 0), input<float>(call, 1),
                       output<float>(call));
  });
  return op;
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
  Operator op = after_product("gelu", "y = gelu(c + bias), gelu(x) = x/2 (1 + erf(x / sqrt 2))",
                              Type::bfloat16);
  op.outputs[0].bound = bound(2.2e-5, 4 * kStep);
  set_references(op, gelu_of<double>, gelu_of<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    t.layer.bias_gelu(tile_shape(call), input<float>(call, 0), input<float>(call, 1),
                      output<bfloat16>(call), kRounding);
  });
  op.phase = finished_by(Kernel::gemm_bf16, Epilogue::bias_gelu);
  op.tasks = {Task::finish_gelu};
  op.rates = {&KernelTable::gelu_cycles};
  return op;
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

Operator residual(const char* name, const char* summary, Type type) {
  Operator op = after_product(name, summary, type);
  op.inputs.push_back({"x", type, 0, 1, 4, 4});
  op.outputs[0].bound = bound(0, 2 * kStep);
  set_references(op, add_residual<double>, add_residual<float>);
  return op;
}

Operator residual_bf16() {
  Operator op = residual("bias_residual", "y = x + c + bias, stored as bfloat16", Type::bfloat16);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    const kernel::TileShape s = tile_shape(call);
    t.layer.copy(s.m * s.n, input<bfloat16>(call, 2), output<bfloat16>(call));
    t.layer.bias_residual_bf16(s, input<float>(call, 0), input<float>(call, 1),
                               output<bfloat16>(call), kRounding);
  });
  op.phase = finished_by(Kernel::gemm_bf16, Epilogue::bias_residual);
  op.tasks = {Task::finish_residual};
  op.rates = {&KernelTable::epilogue_cycles};
  return op;
}

Operator residual_float() {
  Operator op = residual("bias_residual_float", "y = x + c + bias in float", Type::float32);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    const kernel::TileShape s = tile_shape(call);
    t.layer.copy_floats(s.m * s.n, input<float>(call, 2), output<float>(call));
    t.layer.bias_residual_float(s, input<float>(call, 0), input<float>(call, 1),
                                output<float>(call));
  });
  return op;
}

template <typename T>
void scale_back(const OperatorCall& call) {
  const std::size_t m = call.sizes[0], n = call.sizes[1];
  for (std::size_t i = 0; i < m * n; ++i) {
    output<T>(call)[i] = input<T>(call, 1)[i / n] * input<T>(call, 2)[i % n] * input<T>(call, 0)[i];
  }
}

Operator dequantise() {
  Operator op;
  op.name = "dequantise";
  op.summary = "y = c * row scale * column scale, int32 to float";
  op.sizes = {{"m", 4, kMaxTileRows}, {"n", 8, kParameterFloats}};
  op.inputs = {{"c", Type::int32, 0, 1, 4, 8},
               {"row_scale", Type::float32, 0},
               {"column_scale", Type::float32, 1}};
  op.outputs = {{"y", Type::float32, 0, 1, 4, 4, bound(0, 3 * kStep)}};
  op.largest = 1e14;
  set_references(op, scale_back<double>, scale_back<float>);
  set_tile(op, [](const Tables& t, const OperatorCall& call) {
    t.layer.dequantise(tile_shape(call), input<std::int32_t>(call, 0), input<float>(call, 1),
                       input<float>(call, 2), output<float>(call));
  });
  op.phase = finished_by(Kernel::gemm_int8, Epilogue::bias);
  op.tasks = {Task::finish_bias};
  op.rates = {&KernelTable::dequantise_cycles, &KernelTable::epilogue_cycles};
  return op;
}

}  // namespace

std::vector<Operator> product_operators() {
  return {gemm_bf16(), gemm_int8(),     bias_bf16(),      bias_float(),
          gelu(),      residual_bf16(), residual_float(), dequantise()};
}

}  // namespace wnpu::npu::entries
