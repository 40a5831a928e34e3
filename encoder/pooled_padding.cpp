#include "encoder/pooled_padding.h"

#include <utility>

#include "models/base/tensor.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::encoder {
namespace {

// Positions of a pooled row, and single positions behind the audio. Their cost in words: README.md.
constexpr std::size_t kPooledPositions = 6;
constexpr std::size_t kSinglePositions = 25;
// Rows of one position are a multiple of this, so that windows of nearly the same length need the
// same memory. A window's 1500 positions are one, and it is one of kPooledPositions.
constexpr std::size_t kSingleStep = 60;
static_assert(kSingleStep % kPooledPositions == 0);

models::PooledPadding padding_from(std::size_t from, std::size_t n_positions) {
  const std::size_t single = (from + 1) / 2 + kSinglePositions;
  const std::size_t first_row = (single + kSingleStep - 1) / kSingleStep * kSingleStep;
  if (first_row >= n_positions || n_positions % kSingleStep != 0) return {};
  return {first_row, kPooledPositions};
}

}  // namespace

void pool_padding(std::size_t from, models::EncoderStates& states) {
  const models::Matrix& whole = states.values;
  const models::PooledPadding pooled = padding_from(from, whole.rows());
  if (pooled == models::PooledPadding()) return;
  const std::size_t n_pooled = (whole.rows() - pooled.first_row) / pooled.n_positions;
  models::Matrix rows(pooled.first_row + n_pooled, whole.cols());  // of zeros
  models::copy(whole.view().row_range(0, pooled.first_row),
               rows.view().row_range(0, pooled.first_row));
  const float share = 1.0F / static_cast<float>(pooled.n_positions);
  for (std::size_t i = 0; i < n_pooled * pooled.n_positions; ++i) {
    kernels::axpy(share, whole.row(pooled.first_row + i),
                  rows.row(pooled.first_row + i / pooled.n_positions));
  }
  states = {std::move(rows), pooled};
}

}  // namespace wnpu::encoder
