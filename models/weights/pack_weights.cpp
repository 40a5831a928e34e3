#include "models/weights/pack_weights.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "models/kernels/operands/bf16_matrix.h"
#include "models/kernels/operands/f32_matrix.h"
#include "models/kernels/operands/quantise.h"
#include "models/kernels/vectors/blas.h"
#include "models/kernels/vectors/half_floats.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/prepacked_weights.h"
#include "models/weights/weight_blocks.h"

namespace wnpu::models {

using kernels::DataType;

namespace {

template <typename Matrix>
Matrix filled(Matrix matrix, WeightBlocks& blocks) {
  blocks.fill(matrix);
  return matrix;
}

// False: not every value is an fp16 number.
bool fill_f16(kernels::F32Matrix& matrix, WeightBlocks& blocks) {
  const bool checks = !blocks.are_fp16();
  return blocks.for_each([&](std::size_t first, ConstMatrixView rows, std::size_t /*thread*/) {
    for (std::size_t r = 0; checks && r < rows.rows; ++r) {
      if (!kernels::are_f16(rows.row(r))) return false;
    }
    matrix.set_columns(first, rows);
    return true;
  });
}

kernels::PackedB pack(WeightBlocks& blocks, DataType number) {
  const std::size_t k = blocks.k();
  const std::size_t n = blocks.n();
  if (number == DataType::f16 && kernels::gemm_in_use() == kernels::Gemm::own) {
    kernels::F32Matrix halves(k, n, number);
    if (fill_f16(halves, blocks)) return halves;
  }
  if (number == DataType::f32 || number == DataType::f16)
    return filled(kernels::F32Matrix(k, n), blocks);
  if (number == DataType::bf16) return filled(kernels::Bf16Matrix(k, n), blocks);
  if (number == DataType::u8) return filled(kernels::U8Matrix(k, n), blocks);
  const kernels::IntegersOf integers{number, kernels::ScaleOf::column, kernels::max_weight(number)};
  auto matrix = filled(kernels::I16Matrix(k, n, integers), blocks);
  matrix.widen_left_limit();
  return matrix;
}

// Key of the operand that the parts make: it names each matrix and the scale that it is multiplied
// by.
WantedOperand wanted_of(std::span<const WeightBlocks::Part> parts, DataType number, bool rotated) {
  WantedOperand wanted{.name = parts[0].tensor->name,
                       .key = rotated ? "rotated:" : "",
                       .number = number,
                       .k = parts[0].tensor->view.row_size(),
                       .n = 0};
  for (const WeightBlocks::Part& part : parts) {
    if (wanted.n != 0) wanted.key += ",";
    wanted.key += part.tensor->key;
    wanted.n += part.tensor->view.shape[0];
    if (part.scale == 1.0F) continue;
    std::array<char, 32> text = {};
    std::snprintf(text.data(), text.size(), "*%a", static_cast<double>(part.scale));
    wanted.key += text.data();
  }
  return wanted;
}

kernels::PackedB pack_and_release(ThreadPool& pool, std::span<const WeightBlocks::Part> parts,
                                  DataType number, bool rotated = false) {
  const WantedOperand wanted = wanted_of(parts, number, rotated);
  OperandStore* const store = parts[0].tensor->operands;
  if (auto found = find_stored(store, wanted)) return std::move(found->side);
  WeightBlocks blocks(pool, parts, rotated);
  kernels::PackedB packed = pack(blocks, number);
  blocks.release();
  keep_stored(store, wanted, packed);
  return packed;
}

std::vector<WeightBlocks::Part> parts_of(std::span<const ScaledLinear> linears) {
  std::vector<WeightBlocks::Part> parts;
  for (const ScaledLinear& linear : linears) parts.push_back({&linear.weight, linear.scale});
  return parts;
}

std::vector<float> biases_of(std::span<const ScaledLinear> linears) {
  std::vector<float> all;
  for (const ScaledLinear& linear : linears) {
    const std::size_t first = all.size();
    all.resize(first + linear.weight.view.shape[0]);
    std::ranges::transform(linear.bias, all.begin() + static_cast<std::ptrdiff_t>(first),
                           [&](float v) { return linear.scale * v; });
  }
  return all;
}

}  // namespace

kernels::PackedB pack_weights(ThreadPool& pool, const WeightTensor& weight, DataType number) {
  const WeightBlocks::Part part{&weight};
  return pack_and_release(pool, {&part, 1}, number);
}

kernels::PackedB pack_weights(ThreadPool& pool, ConstMatrixView weight, DataType number) {
  return pack_weights(pool, tensor_of(weight), number);
}

kernels::Linear pack_linear(ThreadPool& pool, DataType number,
                            std::initializer_list<ScaledLinear> parts) {
  const WeightTensor& first = parts.begin()->weight;
  const bool has_levels = first.view.dtype == DType::i8_rows;
  DataType taken = has_8_bits(number) && first.stays_finer ? DataType::i16 : number;
  if (taken == DataType::u8 && has_levels && kernels::byte_limits().right < kernels::kMaxInt8) {
    taken = DataType::i8;
  }
  const bool rotated = has_8_bits(taken) && !has_levels;
  return {pack_and_release(pool, parts_of(parts), taken, rotated), biases_of(parts), rotated};
}

void linear(ThreadPool& pool, ConstMatrixView x, const LinearWeights& w, MatrixView y,
            kernels::Finish finish) {
  const kernels::Linear packed = pack_linear(pool, DataType::f32, {w});
  kernels::gemm(pool, {x, packed.weight, packed.bias, finish}, y);
}

}  // namespace wnpu::models
