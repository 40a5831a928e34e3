// Fewer rows for a window's padding, and what attention has to know of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

namespace wnpu::models {

// Which rows of a window's encoder states are pooled padding: each row from first_row on is the
// mean of n_positions positions, and attention counts it as that many, by adding log_positions().
struct PooledPadding {
  std::size_t first_row = std::numeric_limits<std::size_t>::max();  // none is pooled
  std::size_t n_positions = 1;

  // Term that attention adds to the score of a pooled row: exp of it is n_positions.
  float log_positions() const { return std::log(static_cast<float>(n_positions)); }
  bool operator==(const PooledPadding&) const = default;
};

}  // namespace wnpu::models
