#include "models/quantize/block_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "models/quantize/rounding_search.h"
#include "models/quantize/value_blocks.h"

namespace wnpu::models {
namespace {

constexpr int kMostTurns = 8;
// Candidates of a block's scale: of the one that the largest value asks for, these shares.
constexpr std::array kScaleShares{1.0F, 1.05F, 0.95F, 0.9F, 0.85F, 0.8F, 0.75F, 0.7F, 0.6F};
// Candidates of the share of a block's span that the levels leave out at an end.
constexpr std::array kSpanCuts{0.0F, 0.05F, 0.1F, 0.2F};

struct ScaleAndMinimum {
  double scale = 0;
  double minimum = 0;
};

// Least squares for a block's scale and minimum: sums of products of their regressors (a value's
// level, and one) with each other and with the wanted values.
struct NormalEquations {
  double level_level = 0;
  double level_one = 0;
  double one_one = 0;
  double level_wanted = 0;
  double one_wanted = 0;

  // Not finite where no value decides.
  ScaleAndMinimum solved(const BlockKind& kind) const {
    if (!kind.has_minimum) return {level_wanted / level_level, 0};
    const double determinant = level_level * one_one - level_one * level_one;
    return {(one_one * level_wanted - level_one * one_wanted) / determinant,
            (level_level * one_wanted - level_one * level_wanted) / determinant};
  }

  // Change of the sum of squared errors by such a scale and minimum; `solved` makes it least.
  double change(const ScaleAndMinimum& by) const {
    return level_level * by.scale * by.scale + 2 * level_one * by.scale * by.minimum +
           one_one * by.minimum * by.minimum -
           2 * (level_wanted * by.scale + one_wanted * by.minimum);
  }
};

// A block's values and what each of its channels weighs in the product.
struct WeighedBlock {
  BlockValues values;
  std::array<float, kQuantBlock> weights;
};

constexpr double kSmallestHalf = 6.2e-5;  // of fp16's normal numbers
constexpr double kLargestHalf = 65504;

bool is_scale(double value) {
  return std::abs(value) >= kSmallestHalf && std::abs(value) <= kLargestHalf;
}
bool is_minimum(double value) { return std::abs(value) <= kLargestHalf; }

// The block with levels that are nearest by this scale and minimum.
void set_levels(ValueBlock& block, const BlockKind& kind, BlockValues values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    block.levels[i] = nearest_level(values[i] - block.minimum, block.scale, kind);
  }
}

double weighed_error(const ValueBlock& block, const WeighedBlock& wanted) {
  double sum = 0;
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    const double value = double(block.levels[i]) * block.scale + block.minimum;
    const double difference = value - wanted.values[i];
    sum += wanted.weights[i] * difference * difference;
  }
  return sum;
}

// Scale and minimum that fit the levels best; nothing where there are none.
std::optional<ValueBlock> fitted(const ValueBlock& block, const BlockKind& kind,
                                 const WeighedBlock& wanted, const std::string& name) {
  NormalEquations sums;
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    const double weight = wanted.weights[i];
    const double level = block.levels[i];
    sums.level_level += weight * level * level;
    sums.level_one += weight * level;
    sums.one_one += weight;
    sums.level_wanted += weight * level * wanted.values[i];
    sums.one_wanted += weight * wanted.values[i];
  }
  const auto [scale, minimum] = sums.solved(kind);
  if (!is_scale(scale) || !is_minimum(minimum)) return {};
  ValueBlock result = {scale_in_half(static_cast<float>(scale), name),
                       scale_in_half(static_cast<float>(minimum), name)};
  set_levels(result, kind, wanted.values);
  return result;
}

// Scales and minima that levels are tried with.
std::vector<ValueBlock> candidates(const BlockKind& kind, const ValueBlock& nearest) {
  std::vector<ValueBlock> found;
  if (!kind.has_minimum) {
    const float other_end = static_cast<float>(kind.least) / static_cast<float>(kind.most);
    for (const float share : kScaleShares) {
      found.push_back({nearest.scale * share});
      if (kind.most != -kind.least) found.push_back({nearest.scale * share * other_end});
    }
    return found;
  }
  const float span = nearest.scale * static_cast<float>(kind.most);
  for (const float below : kSpanCuts) {
    for (const float above : kSpanCuts)
      found.push_back({nearest.scale * (1 - below - above), nearest.minimum + below * span});
  }
  return found;
}

ValueBlock searched_block(const BlockKind& kind, const WeighedBlock& wanted,
                          const std::string& name) {
  ValueBlock best = nearest_block(kind, wanted.values, name);
  if (!is_scale(best.scale)) return best;
  double least = weighed_error(best, wanted);
  for (ValueBlock candidate : candidates(kind, best)) {
    set_levels(candidate, kind, wanted.values);
    const auto block = fitted(candidate, kind, wanted, name);
    if (!block || weighed_error(*block, wanted) >= least) continue;
    least = weighed_error(*block, wanted);
    best = *block;
  }
  return best;
}

// One row of blocks, moved together.
class BlockRow {
 public:
  BlockRow(const BlockKind& kind, std::span<const float> weights, ConstMatrixView moments,
           const std::string& name)
      : kind_(kind), weights_(weights), search_(weights, moments), name_(name) {}

  std::size_t n_blocks() const { return weights_.size() / kQuantBlock; }

  void start_nearest() {
    for (std::size_t b = 0; b < n_blocks(); ++b) put(b, nearest_block(kind_, values_of(b), name_));
  }

  void start_searched() {
    for (std::size_t b = 0; b < n_blocks(); ++b) {
      WeighedBlock wanted{values_of(b), {}};
      for (std::size_t i = 0; i < kQuantBlock; ++i) {
        const std::size_t c = b * kQuantBlock + i;
        wanted.weights[i] = search_.moments().row(c)[c];
      }
      put(b, searched_block(kind_, wanted, name_));
    }
  }

  void search() {
    const RowSearch::Range range{static_cast<float>(kind_.least), static_cast<float>(kind_.most)};
    for (int turn = 0; turn < kMostTurns; ++turn) {
      bool has_moved = search_.sweep(range);
      for (std::size_t b = 0; b < n_blocks(); ++b) has_moved = rescale(b) || has_moved;
      if (!has_moved) return;
    }
  }

  double error() const { return search_.error(); }

  void append_to(std::string& bytes, DType type) const {
    for (std::size_t b = 0; b < n_blocks(); ++b) append_block(type, block(b), bytes);
  }

 private:
  BlockValues values_of(std::size_t b) const {
    return weights_.subspan(b * kQuantBlock).first<kQuantBlock>();
  }

  void put(std::size_t b, const ValueBlock& block) {
    for (std::size_t i = 0; i < kQuantBlock; ++i) {
      search_.set(b * kQuantBlock + i,
                  {static_cast<float>(block.levels[i]), block.scale, block.minimum});
    }
  }

  ValueBlock block(std::size_t b) const {
    const LevelledValue& first = search_.at(b * kQuantBlock);
    ValueBlock result{first.step, first.base};
    for (std::size_t i = 0; i < kQuantBlock; ++i)
      result.levels[i] = static_cast<int>(search_.at(b * kQuantBlock + i).level);
    return result;
  }

  // Equations for the corrections of scale and minimum that make the product's error least.
  NormalEquations corrections(std::size_t b) const {
    NormalEquations sums;
    const std::size_t first = b * kQuantBlock;
    for (std::size_t c = first; c < first + kQuantBlock; ++c) {
      const double level = search_.at(c).level;
      double along_levels = 0;
      double along_ones = 0;
      for (std::size_t d = first; d < first + kQuantBlock; ++d) {
        along_levels += double{search_.moments().row(c)[d]} * search_.at(d).level;
        along_ones += search_.moments().row(c)[d];
      }
      sums.level_level += level * along_levels;
      sums.level_one += level * along_ones;
      sums.one_one += along_ones;
      sums.level_wanted -= search_.pull()[c] * level;
      sums.one_wanted -= search_.pull()[c];
    }
    return sums;
  }

  // To the scale and minimum that are best for the levels; false: none is better.
  bool rescale(std::size_t b) {
    ValueBlock moved = block(b);
    const NormalEquations sums = corrections(b);
    const ScaleAndMinimum best = sums.solved(kind_);
    const double scale = moved.scale + best.scale;
    const double minimum = moved.minimum + best.minimum;
    if (!is_scale(scale) || !is_minimum(minimum)) return false;
    const ValueBlock old = moved;
    moved.scale = scale_in_half(static_cast<float>(scale), name_);
    moved.minimum = scale_in_half(static_cast<float>(minimum), name_);
    const ScaleAndMinimum by = {double{moved.scale} - old.scale,
                                double{moved.minimum} - old.minimum};
    if (!(sums.change(by) < 0)) return false;
    put(b, moved);
    return true;
  }

  BlockKind kind_;
  std::span<const float> weights_;
  RowSearch search_;
  const std::string& name_;
};

}  // namespace

StoredValues blocks_for_product(ThreadPool& pool, const RoundedProduct& product, DType type,
                                const std::string& name) {
  const ConstMatrixView weights = product.weights;
  StoredValues stored = stored_values(type, weights, name);  // refuses what cannot be stored
  const std::size_t row_bytes = stored.bytes.size() / std::max<std::size_t>(weights.rows, 1);
  pool.parallel_for(weights.rows, [&](std::size_t r, std::size_t /*thread*/) {
    const BlockKind kind = block_kind(type);
    BlockRow nearest(kind, weights.row(r), product.moments, name);
    nearest.start_nearest();
    BlockRow moved(kind, weights.row(r), product.moments, name);
    moved.start_searched();
    moved.search();
    if (!(moved.error() < nearest.error())) return;
    std::string bytes;
    moved.append_to(bytes, type);
    std::ranges::copy(bytes, stored.bytes.begin() + static_cast<std::ptrdiff_t>(r * row_bytes));
  });
  return stored;
}

}  // namespace wnpu::models
