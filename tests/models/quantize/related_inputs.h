// Inputs whose channels are related, and how far a rounded product is from what it was.
#pragma once

#include <cstdint>

#include "models/base/tensor.h"
#include "tests/support/random_matrix.h"

namespace wnpu::tests {

// Channels that rise and fall together, as a model's do: a few sources, and noise.
inline models::Matrix related_inputs(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  constexpr std::size_t kSources = 5;
  const models::Matrix sources = random_matrix(rows, kSources, seed);
  const models::Matrix shares = random_matrix(kSources, cols, seed + 1);
  models::Matrix inputs = random_matrix(rows, cols, seed + 2, 0.05);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t s = 0; s < kSources; ++s) {
      for (std::size_t c = 0; c < cols; ++c)
        inputs.row(r)[c] += sources.row(r)[s] * shares.row(s)[c];
    }
  }
  return inputs;
}

// Squared error of a rounded row's product with the inputs whose moments are given.
inline double row_error(const models::Matrix& exact, const models::Matrix& rounded,
                        const models::Matrix& moments, std::size_t r) {
  double error = 0;
  for (std::size_t i = 0; i < exact.cols(); ++i) {
    double pull = 0;
    for (std::size_t j = 0; j < exact.cols(); ++j)
      pull += double{moments.row(i)[j]} * (double{rounded.row(r)[j]} - exact.row(r)[j]);
    error += pull * (double{rounded.row(r)[i]} - exact.row(r)[i]);
  }
  return error;
}

}  // namespace wnpu::tests
