// Seeded random values for tests, the same on every machine and library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/tensor.h"

namespace wnpu::tests {

// SplitMix64 (Steele, Lea, Flood 2014), as doubles in [-1, 1).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-52 - 1.0;
  }

 private:
  std::uint64_t state_;
};

inline std::vector<float> random_vector(std::size_t n, std::uint64_t seed, double scale = 1.0) {
  Random random(seed);
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(random.uniform() * scale);
  return values;
}

inline models::Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed,
                                    double scale = 1.0) {
  models::Matrix m(rows, cols);
  const auto values = random_vector(rows * cols, seed, scale);
  for (std::size_t i = 0; i < values.size(); ++i) m.flat()[i] = values[i];
  return m;
}

inline models::Matrix identity(std::size_t n) {
  models::Matrix m(n, n);
  for (std::size_t i = 0; i < n; ++i) m.row(i)[i] = 1.0F;
  return m;
}

}  // namespace wnpu::tests
