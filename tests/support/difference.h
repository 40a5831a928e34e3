// How far a result is from its reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace wnpu::tests {

// sum((a - b)^2) / sum(b^2), b being the reference; infinite where the lengths differ.
template <typename A, typename B>
double nmse(const A& a, const B& b) {
  if (std::size(a) != std::size(b)) return std::numeric_limits<double>::infinity();
  double error = 0;
  double power = 0;
  for (std::size_t i = 0; i < std::size(b); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    error += difference * difference;
    power += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return error / std::max(power, std::numeric_limits<double>::min());
}

// a . b / (|a| |b|); 0 where the lengths differ.
template <typename A, typename B>
double cosine(const A& a, const B& b) {
  if (std::size(a) != std::size(b)) return 0;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < std::size(b); ++i) {
    ab += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return ab / std::sqrt(std::max(aa * bb, std::numeric_limits<double>::min()));
}

template <typename A, typename B>
double max_abs_difference(const A& a, const B& b) {
  if (std::size(a) != std::size(b)) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < std::size(b); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    worst = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                   : std::max(worst, difference);
  }
  return worst;
}

}  // namespace wnpu::tests
