#include "decoder/vocabulary_screen.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/gemm.h"
#include "models/nibble_gemm.h"

namespace wnpu::decoder {
namespace {

using models::ConstMatrixView;
using models::MatrixView;

// What an embedding's columns are like, from some of its rows.
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

models::NibbleBasis nibble_basis(const Spread& spread) {
  models::NibbleBasis basis;
  for (std::size_t c = 0; c < spread.mean.size(); ++c) {
    const double variance = spread.mean_square[c] - spread.mean[c] * spread.mean[c];
    basis.centre.push_back(static_cast<float>(spread.mean[c]));
    basis.balance.push_back(balance_of(variance, kNibblesPower));
  }
  return basis;
}

}  // namespace

VocabularyScreen::VocabularyScreen(const models::WeightTensor& embedding, models::ThreadPool& pool,
                                   models::Precision precision, std::size_t max_rows)
    : pool_(pool) {
  const std::size_t n = embedding.view.shape[0];
  const std::size_t k = embedding.view.row_size();
  const Spread spread = spread_of(embedding.view);
  const models::WeightBlocks::Part part{&embedding};
  models::WeightBlocks blocks(pool_, {&part, 1});
  if (precision == models::Precision::fp32) {
    constexpr auto kWidth = models::IntegerWidth::int8;
    screen_ = Bytes{bytes_balance(spread),
                    models::QuantisedMatrix(
                        k, n, {kWidth, models::ScaleOf::column, models::max_weight(kWidth)}),
                    models::Matrix(max_rows, k), models::QuantisedRows(max_rows, k)};
  } else {
    screen_ =
        Nibbles{models::NibbleMatrix(nibble_basis(spread), n), models::OctetRows(max_rows, k)};
  }
  std::visit([&](auto& screen) { fill(screen, blocks); }, screen_);
  blocks.release();
}

void VocabularyScreen::fill(Bytes& screen, models::WeightBlocks& blocks) const {
  std::vector<models::Matrix> balanced(pool_.n_threads());
  blocks.for_each([&](std::size_t first, ConstMatrixView rows, std::size_t thread) {
    models::Matrix& of_thread = balanced[thread];
    if (of_thread.rows() < rows.rows) of_thread = models::Matrix(rows.rows, rows.cols);
    const MatrixView out = of_thread.view().row_range(0, rows.rows);
    for (std::size_t r = 0; r < rows.rows; ++r)
      std::ranges::transform(rows.row(r), screen.balance, out.row(r).begin(), std::multiplies{});
    screen.weights.set_columns(first, out);
    return true;
  });
  screen.weights.widen_left_limit();
}

void VocabularyScreen::fill(Nibbles& screen, models::WeightBlocks& blocks) {
  blocks.for_each([&](std::size_t first, ConstMatrixView rows, std::size_t /*thread*/) {
    screen.weights.set_columns(first, rows);
    return true;
  });
}

void VocabularyScreen::project(ConstMatrixView hidden, MatrixView logits) {
  if (auto* nibbles = std::get_if<Nibbles>(&screen_)) {
    nibbles->hidden.set(hidden, nibbles->weights.basis());
    models::gemm(pool_, nibbles->hidden, nibbles->weights, logits);
    return;
  }
  auto& bytes = std::get<Bytes>(screen_);
  const MatrixView balanced = bytes.balanced.view().row_range(0, hidden.rows);
  for (std::size_t r = 0; r < hidden.rows; ++r)
    std::ranges::transform(hidden.row(r), bytes.balance, balanced.row(r).begin(), std::divides{});
  bytes.hidden.set(pool_, balanced, bytes.weights.left_limit());
  models::gemm(pool_, models::IntegerProduct{bytes.hidden, bytes.weights, {}}, logits);
}

}  // namespace wnpu::decoder
