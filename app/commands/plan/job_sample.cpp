#include "app/commands/plan/job_sample.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "app/commands/plan/row_cost.h"

namespace wnpu::app {
namespace {

std::vector<std::size_t> by_duration(std::span<const double> durations_s) {
  std::vector<std::size_t> order(durations_s.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return durations_s[row]; });
  return order;
}

}  // namespace

std::vector<std::size_t> stratified_sample(std::span<const double> durations_s, std::size_t size) {
  std::vector<std::size_t> order = by_duration(durations_s);
  if (size >= order.size()) {
    std::ranges::sort(order);
    return order;
  }
  std::vector<double> ends;  // windows up to and with each row
  double windows = 0;
  for (const std::size_t row : order) {
    windows += RowSize::of(durations_s[row]).windows;
    ends.push_back(windows);
  }
  std::mt19937_64 random;  // NOLINT(cert-msc51-cpp): the same rows each time
  std::vector<bool> is_taken(order.size());
  std::size_t n_taken = 0;
  for (std::size_t part = 0; part < size; ++part) {
    const double step = windows / static_cast<double>(size);
    const double at = step * static_cast<double>(part);
    const double drawn = std::uniform_real_distribution(at, at + step)(random);
    const auto found = std::ranges::upper_bound(ends.begin(), ends.end() - 1, drawn);
    const auto place = static_cast<std::size_t>(found - ends.begin());
    n_taken += is_taken[place] ? 0 : 1;
    is_taken[place] = true;
  }
  std::uniform_int_distribution<std::size_t> any(0, order.size() - 1);
  while (n_taken < size) {
    const std::size_t place = any(random);
    n_taken += is_taken[place] ? 0 : 1;
    is_taken[place] = true;
  }
  std::vector<std::size_t> sample;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (is_taken[place]) sample.push_back(order[place]);
  }
  std::ranges::sort(sample);
  return sample;
}

}  // namespace wnpu::app
