// pack_weights, pack_states, unpack_states: between the host's row-major fp32 and the array's
// tiles.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <string>

#include "npu/design/layer_abi.h"
#include "npu/design/resident.h"
#include "npu/kernel/bf16.h"

namespace wnpu::npu {
namespace {

// A product's matrix [out, in] and bias as they are packed: LayerNorm and scales folded in.
struct Folded {
  std::size_t depth = 0;
  std::vector<float> matrix;  // [out, depth]
  std::vector<float> bias;    // [out]
};

// A LayerNorm before a product; empty: none.
struct Norm {
  std::span<const float> gamma, beta;
};

// Appends rows of `matrix`: W' = scale * gamma * W, b' = scale * (b + beta . W). Empty bias: none.
void fold(Folded& to, std::span<const float> matrix, std::span<const float> bias, Norm norm,
          float scale = 1) {
  const std::size_t out = matrix.size() / to.depth;
  for (std::size_t o = 0; o < out; ++o) {
    const auto row = matrix.subspan(o * to.depth, to.depth);
    double b = bias.empty() ? 0.0 : bias[o];
    for (std::size_t i = 0; i < to.depth; ++i) {
      to.matrix.push_back(scale * (norm.gamma.empty() ? row[i] : row[i] * norm.gamma[i]));
      if (!norm.beta.empty()) b += double{norm.beta[i]} * row[i];
    }
    to.bias.push_back(static_cast<float>(scale * b));
  }
}

// One result tile's share of a product: `n` rows of the matrix, zero where there are none.
class TileRows {
 public:
  TileRows(const Folded& folded, std::size_t first, std::size_t n)
      : folded_(folded), first_(first), n_(n) {}

  float at(std::size_t n, std::size_t k) const {
    return has(n) ? folded_.matrix[(first_ + n) * folded_.depth + k] : 0.0f;
  }
  float bias(std::size_t n) const { return has(n) ? folded_.bias[first_ + n] : 0.0f; }
  // Symmetric int8, one scale a result channel.
  float scale(std::size_t n) const {
    float largest = 0;
    for (std::size_t k = 0; k < folded_.depth; ++k) largest = std::max(largest, std::abs(at(n, k)));
    return largest / 127.0f;
  }
  std::size_t n() const { return n_; }

 private:
  bool has(std::size_t n) const { return first_ + n < folded_.bias.size(); }
  const Folded& folded_;
  std::size_t first_;
  std::size_t n_;
};

template <typename T>
void put(std::span<std::byte> packed, std::size_t index, T value) {
  std::memcpy(&packed[index * sizeof(T)], &value, sizeof(T));
}

// The right operand [k, n]: bf16 in 8x4 tiles, int8 in 8x8 tiles (kernel/tile_kernels.h).
void put_tile(const GemmGeometry& g, const TileRows& rows, std::span<const float> scales,
              std::size_t first_k, std::span<std::byte> packed) {
  const std::size_t wide = g.is_int8 ? 8 : 4;
  for (std::size_t i = 0; i < g.k * g.n; ++i) {
    const std::size_t k = i / g.n;
    const std::size_t n = i % g.n;
    const std::size_t tile = (k / 8) * (g.n / wide) + n / wide;
    const std::size_t index = (tile * 8 + k % 8) * wide + n % wide;
    const float value = rows.at(n, first_k + k);
    if (g.is_int8) {
      const float q = scales[n] > 0 ? std::nearbyint(value / scales[n]) : 0.0f;
      put(packed, index, static_cast<std::int8_t>(q));
    } else {
      put(packed, index, to_bfloat16(value));
    }
  }
}

void pack_block(const GemmGeometry& g, const TileRows& rows, std::span<std::byte> packed) {
  std::vector<float> scales(g.n, 1.0f);
  for (std::size_t n = 0; n < g.n; ++n) {
    if (g.is_int8) scales[n] = rows.scale(n);
    put(packed, n, rows.bias(n));
    put(packed, kParameterFloats + n, scales[n]);
  }
  for (std::size_t k = 0; k < g.k_tiles; ++k) {
    put_tile(g, rows, scales, k * g.k, packed.subspan((1 + k) * g.tile_bytes(), g.tile_bytes()));
  }
}

void pack_gemm(const LayerGeometry& geometry, Gemm which, const Folded& folded,
               std::span<std::byte> packed) {
  const GemmGeometry& g = geometry.gemm(which);
  const auto columns = static_cast<std::size_t>(geometry.target->columns);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t block = 0; block < g.blocks; ++block) {
      const TileRows rows(folded, (block * columns + column) * g.n, g.n);
      pack_block(g, rows,
                 packed.subspan(g.offset + column * g.column_bytes() + block * g.block_bytes(),
                                g.block_bytes()));
    }
  }
}

// Index of state [row, column] in the packed argument, in elements.
std::size_t state_index(const LayerGeometry& g, std::size_t row, std::size_t column) {
  const std::size_t n = g.state_tile();
  const std::size_t tile = (row / kPanelRows) * (g.shape.width / n) + column / n;
  const std::size_t block = (row % kPanelRows) / 4 * (n / 4) + column % n / 4;
  return tile * kPanelRows * n + block * 16 + row % 4 * 4 + column % 4;
}

void expect_bytes(const char* what, std::size_t expected, std::size_t found) {
  if (expected == found) return;
  throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(expected) +
                              " bytes, found " + std::to_string(found));
}

void expect_values(const char* what, std::size_t expected, std::span<const float> found) {
  if (expected == found.size()) return;
  throw std::invalid_argument(std::string("layer weights: ") + what + ": expected " +
                              std::to_string(expected) + " values, found " +
                              std::to_string(found.size()));
}

void require_sizes(const LayerShape& shape, const LayerWeights& w) {
  const std::size_t attended = shape.attended();
  for (const auto norm : {w.norm1_gamma, w.norm1_beta, w.norm2_gamma, w.norm2_beta}) {
    expect_values("LayerNorm", shape.width, norm);
  }
  for (const auto matrix : {w.query, w.key, w.value}) {
    expect_values("query, key, value", attended * shape.width, matrix);
  }
  for (const auto bias : {w.query_bias, w.value_bias}) {
    expect_values("bias of query, value", attended, bias);
  }
  expect_values("out", shape.width * attended, w.out);
  expect_values("up", shape.hidden * shape.width, w.up);
  expect_values("bias of up", shape.hidden, w.up_bias);
  expect_values("down", shape.width * shape.hidden, w.down);
  // Biases of out and down are only in the first part of a divided layer.
  for (const auto bias : {w.out_bias, w.down_bias}) {
    if (!bias.empty()) expect_values("bias of out, down", shape.width, bias);
  }
}

}  // namespace

LayerWeights part_weights(const LayerShape& shape, const LayerPart& part, const LayerWeights& w,
                          std::vector<float>& gathered) {
  const std::size_t first = part.first_head * kHeadWidth;
  const std::size_t columns = part.heads * kHeadWidth;
  const auto rows_of = [&](std::span<const float> matrix) {
    return matrix.subspan(first * shape.width, columns * shape.width);
  };
  const auto hidden_rows = [&](std::span<const float> rows, std::size_t length) {
    return rows.subspan(part.first_hidden * length, part.hidden * length);
  };
  gathered.clear();
  gathered.reserve(shape.width * (columns + part.hidden));
  const auto gather = [&](std::span<const float> matrix, std::size_t depth, std::size_t at,
                          std::size_t n) {
    for (std::size_t o = 0; o < shape.width; ++o) {
      const auto some = matrix.subspan(o * depth + at, n);
      gathered.insert(gathered.end(), some.begin(), some.end());
    }
  };
  gather(w.out, shape.attended(), first, columns);
  gather(w.down, shape.hidden, part.first_hidden, part.hidden);
  LayerWeights p = w;
  p.query = rows_of(w.query);
  p.query_bias = w.query_bias.subspan(first, columns);
  p.key = rows_of(w.key);
  p.value = rows_of(w.value);
  p.value_bias = w.value_bias.subspan(first, columns);
  p.out = std::span(gathered).first(shape.width * columns);
  p.up = hidden_rows(w.up, shape.width);
  p.up_bias = hidden_rows(w.up_bias, 1);
  p.down = std::span(gathered).subspan(shape.width * columns);
  if (part.first_head > 0) p.out_bias = {};
  if (part.first_hidden > 0) p.down_bias = {};
  return p;
}

float query_scale(std::size_t head) {
  return static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(head)));
}

void pack_weights(const LayerGeometry& g, const LayerWeights& w, std::span<std::byte> packed) {
  expect_bytes("packed weights", g.weights_bytes, packed.size());
  require_sizes(g.shape, w);
  const std::size_t width = g.shape.width;
  const std::span<const float> none;
  const Norm norm1{w.norm1_gamma, w.norm1_beta};
  const Norm norm2{w.norm2_gamma, w.norm2_beta};
  Folded qkv{width, {}, {}};
  fold(qkv, w.query, w.query_bias, norm1, query_scale(kHeadWidth));
  fold(qkv, w.key, none, norm1);
  fold(qkv, w.value, w.value_bias, norm1);
  pack_gemm(g, Gemm::qkv, qkv, packed);
  Folded out{g.shape.attended(), {}, {}};
  fold(out, w.out, w.out_bias, {});
  pack_gemm(g, Gemm::out, out, packed);
  Folded up{width, {}, {}};
  fold(up, w.up, w.up_bias, norm2);
  pack_gemm(g, Gemm::up, up, packed);
  Folded down{g.shape.hidden, {}, {}};
  fold(down, w.down, w.down_bias, {});
  pack_gemm(g, Gemm::down, down, packed);
}

void pack_states(const LayerGeometry& g, std::span<const float> states, std::size_t stride,
                 std::span<std::byte> packed) {
  expect_bytes("packed states", g.states_bytes, packed.size());
  for (std::size_t row = 0; row < g.rows; ++row) {
    for (std::size_t column = 0; column < g.shape.width; ++column) {
      const float value = row < g.shape.frames ? states[row * stride + column] : 0.0f;
      put(packed, state_index(g, row, column), to_bfloat16(value));
    }
  }
}

void unpack_states(const LayerGeometry& g, std::span<const std::byte> packed,
                   std::span<float> states, std::size_t stride) {
  expect_bytes("packed states", g.states_bytes, packed.size());
  for (std::size_t row = 0; row < g.shape.frames; ++row) {
    for (std::size_t column = 0; column < g.shape.width; ++column) {
      bfloat16 value;
      std::memcpy(&value, &packed[state_index(g, row, column) * sizeof(value)], sizeof(value));
      states[row * stride + column] = to_float(value);
    }
  }
}

}  // namespace wnpu::npu
