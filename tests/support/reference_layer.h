// A transformer layer in fp64, written straight from the paper: the reference of every backend.
// Inner loops go by pointers, for tests are compiled without an optimiser where sanitizers look on.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "models/weights/weights.h"

namespace wnpu::tests {

using Rows = std::vector<std::vector<double>>;  // [rows][width]

inline Rows to_rows(models::ConstMatrixView m) {
  Rows rows;
  for (std::size_t r = 0; r < m.rows; ++r) rows.emplace_back(m.row(r).begin(), m.row(r).end());
  return rows;
}

inline std::vector<double> flatten(const Rows& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

inline Rows reference_linear(const Rows& x, const models::LinearWeights& w) {
  Rows y(x.size(), std::vector<double>(w.weight.rows()));
  for (std::size_t r = 0; r < x.size(); ++r) {
    const double* in = x[r].data();
    for (std::size_t o = 0; o < y[r].size(); ++o) {
      double sum = w.bias.empty() ? 0.0 : static_cast<double>(w.bias[o]);
      const float* row = w.weight.row(o).data();
      const std::size_t n = w.weight.cols();
      for (std::size_t i = 0; i < n; ++i) sum += in[i] * static_cast<double>(row[i]);
      y[r][o] = sum;
    }
  }
  return y;
}

inline Rows reference_layer_norm(const Rows& x, const kernels::LayerNorm& w) {
  Rows y = x;
  for (auto& row : y) {
    const auto n = static_cast<double>(row.size());
    double mean = 0;
    double variance = 0;
    for (const double v : row) mean += v / n;
    for (const double v : row) variance += (v - mean) * (v - mean) / n;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(w.gamma[i]) +
               static_cast<double>(w.beta[i]);
    }
  }
  return y;
}

// softmax(q k^T / sqrt(head size)) v; with `causal`, row r of q sees rows 0 .. r.
inline Rows reference_attention(const Rows& q, const Rows& k, const Rows& v, std::size_t heads,
                                bool causal) {
  const std::size_t size = q[0].size() / heads;
  Rows out(q.size(), std::vector<double>(q[0].size(), 0.0));
  for (std::size_t i = 0; i < q.size() * heads; ++i) {
    const std::size_t r = i / heads;
    const std::size_t first = i % heads * size;
    const std::size_t n = causal ? r + 1 : k.size();
    std::vector<double> weights(n);
    double sum = 0;
    const double* query = q[r].data() + first;
    double* result = out[r].data() + first;
    for (std::size_t j = 0; j < n; ++j) {
      double score = 0;
      const double* key = k[j].data() + first;
      for (std::size_t c = 0; c < size; ++c) score += query[c] * key[c];
      weights[j] = std::exp(score / std::sqrt(static_cast<double>(size)));
      sum += weights[j];
    }
    for (std::size_t j = 0; j < n; ++j) {
      const double* value = v[j].data() + first;
      for (std::size_t c = 0; c < size; ++c) result[c] += weights[j] / sum * value[c];
    }
  }
  return out;
}

inline Rows reference_gelu(Rows x) {
  for (auto& row : x) {
    for (double& v : row) v = 0.5 * v * (1.0 + std::erf(v / std::sqrt(2.0)));
  }
  return x;
}

inline void add(Rows& x, const Rows& y) {
  for (std::size_t r = 0; r < x.size(); ++r) {
    for (std::size_t i = 0; i < x[r].size(); ++i) x[r][i] += y[r][i];
  }
}

inline void reference_mlp(Rows& x, const kernels::LayerNorm& ln, const models::LinearWeights& mlp_0,
                          const models::LinearWeights& mlp_2) {
  add(x, reference_linear(reference_gelu(reference_linear(reference_layer_norm(x, ln), mlp_0)),
                          mlp_2));
}

// x += attention(norm(x)) over `memory` (x's own normalised rows where it is null).
inline void reference_attend(Rows& x, const kernels::LayerNorm& ln,
                             const models::AttentionWeights& w, std::size_t heads,
                             const Rows* memory) {
  const Rows normed = reference_layer_norm(x, ln);
  const Rows& seen = memory != nullptr ? *memory : normed;
  add(x, reference_linear(
             reference_attention(reference_linear(normed, w.query), reference_linear(seen, w.key),
                                 reference_linear(seen, w.value), heads, false),
             w.out));
}

inline void reference_encoder_layer(Rows& x, const models::EncoderLayerWeights& w,
                                    std::size_t heads) {
  reference_attend(x, w.attn_ln, w.attn, heads, nullptr);
  reference_mlp(x, w.mlp_ln, w.mlp_0, w.mlp_2);
}

}  // namespace wnpu::tests
