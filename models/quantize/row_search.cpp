#include "models/quantize/row_search.h"

#include <algorithm>
#include <cmath>

#include "models/kernels/vectors/ops.h"

namespace wnpu::models {

RowSearch::RowSearch(std::span<const float> weights, ConstMatrixView moments)
    : weights_(weights), moments_(moments), values_(weights.size()), pull_(weights.size()) {
  for (std::size_t c = 0; c < weights.size(); ++c) values_[c].base = weights[c];
}

void RowSearch::set(std::size_t column, const LevelledValue& value) {
  const float change = value.value() - values_[column].value();
  values_[column] = value;
  if (change != 0) kernels::axpy(change, moments_.row(column), pull_);
}

bool RowSearch::sweep(const Range& range) {
  bool has_moved = false;
  for (std::size_t c = 0; c < values_.size(); ++c) {
    const LevelledValue& value = values_[c];
    const float own = moments_.row(c)[c];
    if (c == range.pinned || value.step == 0 || !(own > 0)) continue;
    const float wanted = value.level - pull_[c] / (own * value.step);
    if (std::isnan(wanted)) continue;  // moments beyond fp32
    const float level = std::clamp(std::nearbyint(wanted), range.least, range.most);
    if (level == value.level) continue;
    kernels::axpy((level - value.level) * value.step, moments_.row(c), pull_);
    values_[c].level = level;
    has_moved = true;
  }
  return has_moved;
}

double RowSearch::error() const {
  double sum = 0;
  for (std::size_t c = 0; c < values_.size(); ++c) {
    sum += double{pull_[c]} * (double{values_[c].value()} - double{weights_[c]});
  }
  return sum;
}

}  // namespace wnpu::models
