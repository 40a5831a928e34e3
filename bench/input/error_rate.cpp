#include "bench/input/error_rate.h"

#include <cassert>
#include <random>
#include <vector>

#include "bench/core/figure.h"

namespace wnpu::bench {
namespace {

constexpr std::size_t kDraws = 2000;

}  // namespace

ErrorCounts total(std::span<const ErrorCounts> files) {
  ErrorCounts sum;
  for (const ErrorCounts& file : files) {
    sum += file;
  }
  return sum;
}

Interval bootstrap_interval(std::span<const ErrorCounts> files, std::uint64_t seed) {
  assert(!files.empty());
  // The generator's numbers are fixed by the standard; its distributions are not, hence the modulo,
  // whose bias is below 2^-50 for a million files.
  std::mt19937_64 generator(seed);
  std::vector<double> rates(kDraws);
  for (double& rate : rates) {
    ErrorCounts drawn;
    for (std::size_t i = 0; i < files.size(); ++i) {
      drawn += files[generator() % files.size()];
    }
    rate = drawn.rate();
  }
  return {percentile(rates, 2.5), percentile(rates, 97.5)};
}

}  // namespace wnpu::bench
