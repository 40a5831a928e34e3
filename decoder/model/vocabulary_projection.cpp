#include "decoder/model/vocabulary_projection.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/gathered_rows.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"

namespace wnpu::decoder {
namespace {

using models::ConstMatrixView;
using models::MatrixView;

// Enough remain where some of them are suppressed as no speech.
constexpr std::size_t kFewest = 32;
constexpr std::size_t kMost = 128;
constexpr float kMargin = 4;
// Tokens whose maximum is taken together: those of a block that is too low are not looked at.
constexpr std::size_t kTokenBlock = 64;
constexpr std::size_t kTokensTogether = 16;
// Rows of the file that were looked at stay in memory with their neighbours, 64 KB a row: a short
// clip, whose peak these pages would be, gives them back after so many calls. What goes on after so
// many hidden states (10 s with five beams) looks at most of the file again and again, for 8 us a
// page fault: then they stay, as far as the kernel has room for them.
constexpr std::size_t kCallsKept = 4;
constexpr std::size_t kHiddenOfShortClip = 160;

// Largest logit; -infinity in place of a NaN, which has no place in an order.
float largest_number(std::span<const float> logits) {
  const float largest = kernels::max(logits);
  return std::isnan(largest) ? -std::numeric_limits<float>::infinity() : largest;
}

std::span<const float> block_of(std::span<const float> logits, std::size_t i) {
  return logits.subspan(i * kTokenBlock, std::min(kTokenBlock, logits.size() - i * kTokenBlock));
}

// The n-th largest of the values, which are put in some other order; n >= 1.
float nth_largest(std::span<float> values, std::size_t n) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(n, values.size()) - 1);
  std::nth_element(values.begin(), at, values.end(), std::greater{});
  return *at;
}

}  // namespace

PackedVocabulary::PackedVocabulary(const models::Dims& dims, const models::WeightTensor& tensor,
                                   models::ThreadPool& pool, models::Precision precision)
    : embedding(tensor.view),
      n_text_tokens(dims.n_text_tokens()),
      shortlist(pack_shortlist(row_range(tensor, 0, n_text_tokens), pool, precision)),
      special(models::pack_weights(pool,
                                   row_range(tensor, n_text_tokens, dims.n_vocab - n_text_tokens),
                                   kernels::DataType::f16)) {}

VocabularyProjection::VocabularyProjection(const PackedVocabulary& vocabulary,
                                           models::ThreadPool& pool)
    : vocabulary_(vocabulary), pool_(pool), shortlist_(vocabulary.shortlist, pool) {
  for (std::size_t t = 0; t < pool.n_threads(); ++t)
    row_.emplace_back(vocabulary.embedding.row_size());
}

void VocabularyProjection::embed(models::TokenId token, std::span<float> out) const {
  models::dequantize(row_range(vocabulary_.embedding, static_cast<std::size_t>(token), 1), out);
}

void VocabularyProjection::project(ConstMatrixView hidden, MatrixView logits) {
  const std::size_t n_text_tokens = vocabulary_.n_text_tokens;
  const kernels::PackedB& special = vocabulary_.special;
  assert(hidden.rows == logits.rows && logits.cols == n_text_tokens + special.n());
  const MatrixView text = logits.col_range(0, n_text_tokens);
  shortlist_.project(hidden, text);
  kernels::gemm(pool_, {hidden, special}, logits.col_range(n_text_tokens, special.n()));
  chosen_.resize(std::max(chosen_.size(), logits.rows));
  pool_.parallel_for(logits.rows, [&](std::size_t row, std::size_t /*thread*/) {
    chosen_[row] = choose(text.row(row));
  });
  struct Share {
    std::size_t row;
    std::span<const std::uint32_t> tokens;
  };
  std::vector<Share> shares;
  for (std::size_t row = 0; row < logits.rows; ++row) {
    const std::span<const std::uint32_t> all = chosen_[row];
    for (std::size_t i = 0; i < all.size(); i += kTokensTogether)
      shares.push_back({row, all.subspan(i, std::min(kTokensTogether, all.size() - i))});
  }
  pool_.parallel_for(shares.size(), [&](std::size_t i, std::size_t thread) {
    const auto& [row, tokens] = shares[i];
    make_exact(tokens, hidden.row(row), text.row(row), row_[thread]);
  });
  n_hidden_ += hidden.rows;
  if (n_hidden_ < kHiddenOfShortClip && ++n_calls_ % kCallsKept == 0)
    models::release(vocabulary_.embedding);
}

std::vector<std::uint32_t> VocabularyProjection::choose(std::span<const float> logits) const {
  std::vector<float> maxima;
  for (std::size_t i = 0; i * kTokenBlock < logits.size(); ++i)
    maxima.push_back(largest_number(block_of(logits, i)));
  std::vector<float> sorted = maxima;
  const float likeliest = kernels::max(maxima);
  const float bar = std::min(likeliest - kMargin, nth_largest(sorted, kFewest));
  std::vector<float> above;
  for (std::size_t i = 0; i < maxima.size(); ++i) {
    if (maxima[i] < bar) continue;
    std::ranges::copy_if(block_of(logits, i), std::back_inserter(above),
                         [bar](float logit) { return logit >= bar; });
  }
  const float limit = above.size() > kMost ? nth_largest(above, kMost) : bar;
  std::vector<std::uint32_t> tokens;
  for (std::size_t i = 0; i < maxima.size(); ++i) {
    if (maxima[i] < limit) continue;
    const auto block = block_of(logits, i);
    for (std::size_t id = 0; id < block.size(); ++id) {
      if (block[id] >= limit) tokens.push_back(static_cast<std::uint32_t>(i * kTokenBlock + id));
    }
  }
  return tokens;
}

void VocabularyProjection::make_exact(std::span<const std::uint32_t> tokens,
                                      std::span<const float> hidden, std::span<float> logits,
                                      std::span<float> row) const {
  constexpr std::array<std::uint32_t, 1> kFirst = {0};
  for (const std::uint32_t token : tokens) {
    models::dequantize(row_range(vocabulary_.embedding, token, 1), row);
    kernels::dot_rows(hidden, {{row.data(), 1, row.size(), row.size()}, kFirst},
                      logits.subspan(token, 1));
  }
}

}  // namespace wnpu::decoder
