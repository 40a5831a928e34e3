#include "decoder/model/logit_shortlist.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "models/base/error.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/blas.h"
#include "models/weights/prepacked_weights.h"
#include "models/weights/weight_blocks.h"

namespace wnpu::decoder {
namespace {

using models::ConstMatrixView;
using models::MatrixView;

// Mean and mean square of each column of an embedding, from some of its rows.
struct Spread {
  std::vector<double> mean;
  std::vector<double> mean_square;
};

Spread spread_of(const models::TensorView& embedding) {
  constexpr std::size_t kEvery = 16;
  std::vector<float> row(embedding.row_size());
  Spread spread{std::vector<double>(row.size()), std::vector<double>(row.size())};
  const double n_rows = std::ceil(static_cast<double>(embedding.shape[0]) / kEvery);
  for (std::size_t id = 0; id < embedding.shape[0]; id += kEvery) {
    models::dequantize(row_range(embedding, id, 1), row);
    for (std::size_t c = 0; c < row.size(); ++c) {
      const double value = row[c];
      spread.mean[c] += value;
      spread.mean_square[c] += value * value;
    }
  }
  for (double& sum : spread.mean) sum /= n_rows;
  for (double& sum : spread.mean_square) sum /= n_rows;
  return spread;
}

// A few columns have values that are many times as large as the others', which would leave these
// few of the bits: they are balanced by a power of their size, not wholly, for a hidden state has
// outliers too. Of powers from 0 to -1, logits of tiny.en on speech are closest at these.
constexpr auto kBytes = kernels::DataType::i8;
constexpr double kBytesPower = -0.5;
constexpr double kNibblesPower = -0.75;

float balance_of(double mean_square, double power) {
  const auto balance = static_cast<float>(std::pow(mean_square, power / 2));
  return std::isfinite(balance) && balance > 0 ? balance : 1.0F;
}

std::vector<float> bytes_balance(const Spread& spread) {
  std::vector<float> balance;
  for (const double square : spread.mean_square) balance.push_back(balance_of(square, kBytesPower));
  return balance;
}

kernels::U4Basis nibble_basis(const Spread& spread) {
  kernels::U4Basis basis;
  for (std::size_t c = 0; c < spread.mean.size(); ++c) {
    const double variance = spread.mean_square[c] - spread.mean[c] * spread.mean[c];
    basis.centre.push_back(static_cast<float>(spread.mean[c]));
    basis.balance.push_back(balance_of(variance, kNibblesPower));
  }
  return basis;
}

ByteShortlist pack_bytes(std::vector<float> balance, models::WeightBlocks& blocks,
                         std::size_t n_threads) {
  kernels::I16Matrix weights(blocks.k(), blocks.n(),
                             {kBytes, kernels::ScaleOf::column, kernels::max_weight(kBytes)});
  std::vector<models::Matrix> balanced(n_threads);
  blocks.for_each([&](std::size_t first, ConstMatrixView rows, std::size_t thread) {
    models::Matrix& of_thread = balanced[thread];
    if (of_thread.rows() < rows.rows) of_thread = models::Matrix(rows.rows, rows.cols);
    const MatrixView out = of_thread.view().row_range(0, rows.rows);
    for (std::size_t r = 0; r < rows.rows; ++r)
      std::ranges::transform(rows.row(r), balance, out.row(r).begin(), std::multiplies{});
    weights.set_columns(first, out);
    return true;
  });
  weights.widen_left_limit();
  return {std::move(balance), std::move(weights)};
}

models::WantedOperand wanted_of(const models::WeightTensor& embedding,
                                models::Precision precision) {
  return {.name = embedding.name,
          .key = "screen:" + embedding.key,
          .number = precision == models::Precision::fp32 ? kBytes : kernels::DataType::u4,
          .k = embedding.view.row_size(),
          .n = embedding.view.shape[0],
          .is_copied = true};
}

// Nothing: it is not packed yet.
std::optional<ShortlistWeights> stored_shortlist(const models::WeightTensor& embedding,
                                                 const models::WantedOperand& wanted) {
  auto found = models::find_stored(embedding.operands, wanted);
  if (!found) return std::nullopt;
  const bool has_balance = found->balance.size() == wanted.k;
  const bool has_centre = found->centre.size() == wanted.k || wanted.number == kBytes;
  if (!has_balance || !has_centre)
    throw models::ModelError(wanted.name + ", packed: expected a number a row, found none");
  if (wanted.number == kBytes)
    return ByteShortlist{std::move(found->balance), std::move(found->side)};
  return NibbleShortlist({std::move(found->centre), std::move(found->balance)},
                         std::move(found->side));
}

void keep(const models::WeightTensor& embedding, const models::WantedOperand& wanted,
          const ShortlistWeights& weights) {
  if (const auto* bytes = std::get_if<ByteShortlist>(&weights)) {
    models::keep_stored(embedding.operands, wanted, bytes->weights, {}, bytes->balance);
  } else if (const auto* nibbles = std::get_if<NibbleShortlist>(&weights)) {
    const kernels::U4Basis& basis = nibbles->basis();
    models::keep_stored(embedding.operands, wanted, *nibbles, basis.centre, basis.balance);
  }
}

}  // namespace

ShortlistWeights pack_shortlist(const models::WeightTensor& embedding, models::ThreadPool& pool,
                                models::Precision precision) {
  const models::WantedOperand wanted = wanted_of(embedding, precision);
  if (auto found = stored_shortlist(embedding, wanted)) return *std::move(found);
  const Spread spread = spread_of(embedding.view);
  const models::WeightBlocks::Part part{&embedding};
  models::WeightBlocks blocks(pool, {&part, 1});
  ShortlistWeights weights;
  if (kernels::gemm_in_use() == kernels::Gemm::blas) {
    blocks.fill(weights.emplace<kernels::F32Matrix>(wanted.k, wanted.n));
  } else if (precision == models::Precision::fp32) {
    weights = pack_bytes(bytes_balance(spread), blocks, pool.n_threads());
  } else {
    blocks.fill(weights.emplace<NibbleShortlist>(nibble_basis(spread), wanted.n));
  }
  blocks.release();
  keep(embedding, wanted, weights);
  return weights;
}

LogitShortlist::LogitShortlist(const ShortlistWeights& weights, models::ThreadPool& pool)
    : weights_(weights), pool_(pool) {}

void LogitShortlist::make_room(std::size_t n_rows) {
  if (n_rows <= max_rows_) return;
  if (const auto* bytes = std::get_if<ByteShortlist>(&weights_)) {
    const std::size_t k = bytes->balance.size();
    rows_ = ByteRows{models::Matrix(n_rows, k), kernels::I16Rows(n_rows, k)};
  } else if (const auto* nibbles = std::get_if<NibbleShortlist>(&weights_)) {
    rows_ = kernels::U4Rows(n_rows, nibbles->k());
  }
  max_rows_ = n_rows;  // once there is room
}

void LogitShortlist::project(ConstMatrixView hidden, MatrixView logits) {
  make_room(hidden.rows);
  if (const auto* nibbles = std::get_if<NibbleShortlist>(&weights_)) {
    auto& rows = std::get<kernels::U4Rows>(rows_);
    rows.set(hidden, nibbles->basis());
    kernels::gemm(pool_, {rows, *nibbles}, logits);
    return;
  }
  if (const auto* exact = std::get_if<kernels::F32Matrix>(&weights_)) {
    kernels::gemm(pool_, {hidden, *exact}, logits);
    return;
  }
  const auto& shortlist = std::get<ByteShortlist>(weights_);
  auto& rows = std::get<ByteRows>(rows_);
  const MatrixView balanced = rows.balanced.view().row_range(0, hidden.rows);
  for (std::size_t r = 0; r < hidden.rows; ++r)
    std::ranges::transform(hidden.row(r), shortlist.balance, balanced.row(r).begin(),
                           std::divides{});
  rows.hidden.set(pool_, balanced, shortlist.weights.left_limit());
  kernels::gemm(pool_, {rows.hidden, shortlist.weights}, logits);
}

}  // namespace wnpu::decoder
