#include "encoder/variant/cut_layer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace wnpu::encoder {
namespace {

using models::LinearWeights;
using models::Matrix;

constexpr float kSteps = 127;  // of int8, to each side

// The places of the largest, ascending; of equal ones the first.
std::vector<std::size_t> largest(const std::vector<double>& values, std::size_t kept) {
  if (kept > values.size()) {
    throw std::invalid_argument("variant: expected at most " + std::to_string(values.size()) +
                                " to keep, found " + std::to_string(kept));
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  order.resize(kept);
  std::ranges::sort(order);
  return order;
}

std::vector<std::size_t> columns_of(const std::vector<std::size_t>& heads, std::size_t head_size) {
  std::vector<std::size_t> columns;
  for (const std::size_t head : heads) {
    for (std::size_t c = 0; c < head_size; ++c) columns.push_back(head * head_size + c);
  }
  return columns;
}

LinearWeights with_rows(const LinearWeights& from, const std::vector<std::size_t>& rows) {
  LinearWeights to{Matrix(rows.size(), from.weight.cols()), {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(from.weight.row(rows[i]), to.weight.row(i).begin());
    if (!from.bias.empty()) to.bias.push_back(from.bias[rows[i]]);
  }
  return to;
}

LinearWeights with_columns(const LinearWeights& from, const std::vector<std::size_t>& columns) {
  LinearWeights to{Matrix(from.weight.rows(), columns.size()), from.bias};
  for (std::size_t r = 0; r < from.weight.rows(); ++r) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      to.weight.row(r)[i] = from.weight.row(r)[columns[i]];
    }
  }
  return to;
}

// sum over the columns of a of a[i] a[j] scale^2, [n, n], where `at` gives a's rows.
template <typename At>
std::vector<double> gram(std::size_t n, std::size_t depth, const At& at) {
  std::vector<double> products(n * n, 0.0);
  std::vector<double> column(n);
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t i = 0; i < n; ++i) column[i] = at(i, k);
    for (std::size_t i = 0; i < n; ++i) {
      double* row = products.data() + i * n;
      for (std::size_t j = 0; j < n; ++j) row[j] += column[i] * column[j];
    }
  }
  return products;
}

// |out value diag(gamma)|^2 of a head: the trace of two products of heads' size.
double head_magnitude(const models::EncoderLayerWeights& layer, std::size_t first, std::size_t n) {
  const Matrix& value = layer.attn.value.weight;
  const Matrix& out = layer.attn.out.weight;
  const std::vector<float>& gamma = layer.attn_ln.gamma;
  const auto values = gram(n, value.cols(), [&](std::size_t i, std::size_t k) {
    return double{value.row(first + i)[k]} * double{gamma[k]};
  });
  const auto outs = gram(
      n, out.rows(), [&](std::size_t i, std::size_t k) { return double{out.row(k)[first + i]}; });
  return std::inner_product(values.begin(), values.end(), outs.begin(), 0.0);
}

// Gamma and beta of the LayerNorm before it become part of a product, rows of bytes.
void fold_and_round(LinearWeights& linear, const kernels::LayerNorm& norm) {
  linear.bias.resize(linear.weight.rows());
  for (std::size_t r = 0; r < linear.weight.rows(); ++r) {
    const std::span<float> row = linear.weight.row(r);
    double bias = double{linear.bias[r]};
    float most = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      bias += double{norm.beta[k]} * double{row[k]};
      row[k] *= norm.gamma[k];
      most = std::max(most, std::abs(row[k]));
    }
    linear.bias[r] = static_cast<float>(bias);
    const float step = most / kSteps;
    if (!(step > 0)) continue;
    for (float& w : row) w = std::nearbyint(w / step) * step;
  }
}

void make_plain(kernels::LayerNorm& norm) {
  std::ranges::fill(norm.gamma, 1.0F);
  std::ranges::fill(norm.beta, 0.0F);
}

}  // namespace

std::vector<std::size_t> heads_kept(const models::EncoderLayerWeights& layer, std::size_t head_size,
                                    std::size_t kept) {
  std::vector<double> magnitudes;
  for (std::size_t first = 0; first < layer.attn.value.weight.rows(); first += head_size) {
    magnitudes.push_back(head_magnitude(layer, first, head_size));
  }
  return largest(magnitudes, kept);
}

std::vector<std::size_t> hidden_kept(const models::EncoderLayerWeights& layer, std::size_t kept) {
  const Matrix& up = layer.mlp_0.weight;
  const Matrix& down = layer.mlp_2.weight;
  std::vector<double> magnitudes(up.rows(), 0.0);
  for (std::size_t h = 0; h < up.rows(); ++h) {
    double rows = 0;
    double columns = 0;
    for (std::size_t k = 0; k < up.cols(); ++k) {
      const double w = double{up.row(h)[k]} * double{layer.mlp_ln.gamma[k]};
      rows += w * w;
    }
    for (std::size_t k = 0; k < down.rows(); ++k) {
      columns += double{down.row(k)[h]} * double{down.row(k)[h]};
    }
    magnitudes[h] = rows * columns;
  }
  return largest(magnitudes, kept);
}

models::EncoderLayerWeights cut_layer(const models::EncoderLayerWeights& layer,
                                      std::size_t head_size, const npu::LayerVariant& variant) {
  const std::vector<std::size_t> attended =
      columns_of(heads_kept(layer, head_size, variant.heads), head_size);
  const std::vector<std::size_t> hidden = hidden_kept(layer, variant.hidden);
  models::EncoderLayerWeights cut{
      layer.attn_ln,
      {with_rows(layer.attn.query, attended), with_rows(layer.attn.key, attended),
       with_rows(layer.attn.value, attended), with_columns(layer.attn.out, attended)},
      layer.mlp_ln,
      with_rows(layer.mlp_0, hidden),
      with_columns(layer.mlp_2, hidden)};
  if (variant.precision == npu::Precision::int8) {
    for (LinearWeights* linear : {&cut.attn.query, &cut.attn.key, &cut.attn.value}) {
      fold_and_round(*linear, cut.attn_ln);
    }
    fold_and_round(cut.mlp_0, cut.mlp_ln);
    make_plain(cut.attn_ln);
    make_plain(cut.mlp_ln);
  }
  return cut;
}

}  // namespace wnpu::encoder
