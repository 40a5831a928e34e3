#include "app/commands/plan/row_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wnpu::app {
namespace {

// A row's window: so many seconds of audio, so much work.
struct Point {
  double x = 0;
  double y = 0;
};

Point point_of(const MeasuredRow& row) {
  const RowSize size = RowSize::of(row.duration_s);
  return {size.seconds / size.windows, row.work_s / size.windows};
}

Point mean_of(std::span<const MeasuredRow> rows) {
  Point sum;
  for (const MeasuredRow& row : rows) {
    const Point point = point_of(row);
    sum = {sum.x + point.x, sum.y + point.y};
  }
  const auto n = static_cast<double>(rows.size());
  return {sum.x / n, sum.y / n};
}

// Slope of the line through `through` with the smallest squared errors.
double slope_through(const Point& through, std::span<const MeasuredRow> rows) {
  double xx = 0;
  double xy = 0;
  for (const MeasuredRow& row : rows) {
    const Point point = point_of(row);
    xx += (point.x - through.x) * (point.x - through.x);
    xy += (point.x - through.x) * (point.y - through.y);
  }
  return xx > 1e-6 ? xy / xx : 0;  // rows of one length have no slope
}

}  // namespace

RowSize RowSize::of(double duration_s) {
  return {std::max(1.0, std::ceil(duration_s / kWindowS)), duration_s};
}

std::vector<std::size_t> sample_rows(std::span<const double> durations_s, std::size_t size) {
  std::vector<std::size_t> order(durations_s.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (size >= order.size()) return order;
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return durations_s[row]; });
  std::vector<double> ends;  // windows up to and with each row
  double windows = 0;
  for (const std::size_t row : order) {
    windows += RowSize::of(durations_s[row]).windows;
    ends.push_back(windows);
  }
  std::vector<std::size_t> sample;
  std::size_t next = 0;  // a row that fills several parts stands for one of them
  for (std::size_t part = 0; part < size; ++part) {
    const double middle = windows * (static_cast<double>(part) + 0.5) / static_cast<double>(size);
    const auto found = std::ranges::upper_bound(ends, middle);
    const auto place = static_cast<std::size_t>(found - ends.begin());
    const std::size_t last = order.size() - (size - part);  // leaves a row for each part to come
    next = std::min(std::max(next, place), last);
    sample.push_back(order[next++]);
  }
  std::ranges::sort(sample);
  return sample;
}

RowCost RowCost::of(std::span<const MeasuredRow> rows) {
  const Point mean = mean_of(rows);
  RowCost cost;
  cost.second_s = std::max(0.0, slope_through(mean, rows));
  cost.window_s = mean.y - cost.second_s * mean.x;
  if (cost.window_s < 0) cost = {.window_s = 0, .second_s = slope_through({0, 0}, rows)};
  double squares = 0;
  for (const MeasuredRow& row : rows) {
    const Point point = point_of(row);
    const double error = point.y - cost.window_s - cost.second_s * point.x;
    squares += error * error;
  }
  if (mean.y > 0) cost.spread = std::sqrt(squares / static_cast<double>(rows.size())) / mean.y;
  return cost;
}

}  // namespace wnpu::app
