// Weights -> panels: the packing functions of packed_matrix.h, quantised.h and
// byte_matrix.h.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/byte_matrix.h"
#include "models/half_floats.h"
#include "models/packed_matrix.h"
#include "models/quantised.h"
#include "models/weight_blocks.h"

namespace wnpu::models {
namespace {

// Room to see whether values are fp16 numbers.
class HalfCheck {
 public:
  explicit HalfCheck(std::size_t k) : halves_(k), widened_(k) {}

  bool are_fp16(ConstMatrixView rows) {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      narrow_f16(rows.row(r), halves_);
      widen_f16(std::as_bytes(std::span(halves_)), widened_);
      if (!std::ranges::equal(rows.row(r), widened_)) return false;
    }
    return true;
  }

 private:
  std::vector<std::uint16_t> halves_;
  std::vector<float> widened_;
};

// Where fp16 is wanted, but not every value is one: fp32.
PackedMatrix pack(ThreadPool& pool, WeightBlocks blocks, Storage wanted) {
  PackedMatrix packed(blocks.k(), blocks.n(), wanted);
  const bool checks = wanted == Storage::fp16 && !blocks.are_fp16();
  std::vector<HalfCheck> room(pool.n_threads(), HalfCheck(checks ? blocks.k() : 0));
  const auto put = [&](std::size_t first, ConstMatrixView rows, std::size_t /*thread*/) {
    packed.set_columns(first, rows);
    return true;
  };
  const bool fits = blocks.for_each([&](std::size_t first, ConstMatrixView rows, std::size_t t) {
    return (!checks || room[t].are_fp16(rows)) && put(first, rows, t);
  });
  if (!fits) {
    packed = PackedMatrix(blocks.k(), blocks.n(), Storage::fp32);
    blocks.for_each(put);
  }
  blocks.release();
  return packed;
}

QuantisedMatrix quantise(WeightBlocks blocks, IntegerWidth width) {
  QuantisedMatrix all(blocks.k(), blocks.n(), {width, ScaleOf::column, max_weight(width)});
  blocks.for_each([&](std::size_t first, ConstMatrixView rows, std::size_t /*thread*/) {
    all.set_columns(first, rows);
    return true;
  });
  blocks.release();
  all.widen_left_limit();
  return all;
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

ByteMatrix to_bytes(WeightBlocks blocks) {
  ByteMatrix all(blocks.k(), blocks.n());
  blocks.for_each([&](std::size_t first, ConstMatrixView rows, std::size_t /*thread*/) {
    all.set_columns(first, rows);
    return true;
  });
  blocks.release();
  return all;
}

}  // namespace

PackedMatrix pack_weights(ThreadPool& pool, const WeightTensor& weight, Storage wanted) {
  const WeightBlocks::Part part{&weight};
  return pack(pool, WeightBlocks(pool, {&part, 1}), wanted);
}

PackedMatrix pack_weights(ThreadPool& pool, ConstMatrixView weight, Storage wanted) {
  return pack_weights(pool, tensor_of(weight), wanted);
}

PackedLinear pack_side_by_side(ThreadPool& pool, std::initializer_list<ScaledLinear> linears,
                               Storage wanted) {
  return {pack(pool, WeightBlocks(pool, parts_of(linears)), wanted), biases_of(linears)};
}

PackedLinear pack_linear(ThreadPool& pool, const Linear& linear, Storage wanted) {
  return {pack_weights(pool, linear.weight.view(), wanted), linear.bias};
}

QuantisedLinear quantise_side_by_side(ThreadPool& pool, std::initializer_list<ScaledLinear> linears,
                                      IntegerWidth width) {
  return {quantise(WeightBlocks(pool, parts_of(linears)), width), biases_of(linears)};
}

ByteLinear bytes_side_by_side(ThreadPool& pool, std::initializer_list<ScaledLinear> linears) {
  return {to_bytes(WeightBlocks(pool, parts_of(linears))), biases_of(linears)};
}

}  // namespace wnpu::models
