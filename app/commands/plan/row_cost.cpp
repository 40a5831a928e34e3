#include "app/commands/plan/row_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wnpu::app {
namespace {

// Sums of the weighted rows, whose first regressor is 1 everywhere: windows / windows.
struct Sums {
  double n = 0;
  double x = 0;  // seconds a window
  double xx = 0;
  double y = 0;  // work a window
  double xy = 0;
};

struct Point {
  double x = 0;
  double y = 0;
};

Point point_of(const MeasuredRow& row) {
  const RowSize size = RowSize::of(row.duration_s);
  return {size.seconds / size.windows, row.work_s / size.windows};
}

Sums sums_of(std::span<const MeasuredRow> rows) {
  Sums sums;
  for (const MeasuredRow& row : rows) {
    const Point point = point_of(row);
    sums.n += 1;
    sums.x += point.x;
    sums.xx += point.x * point.x;
    sums.y += point.y;
    sums.xy += point.x * point.y;
  }
  return sums;
}

double squared_error(std::span<const MeasuredRow> rows, const std::array<double, 2>& fit) {
  double sum = 0;
  for (const MeasuredRow& row : rows) {
    const Point point = point_of(row);
    const double error = point.y - fit[0] - fit[1] * point.x;
    sum += error * error;
  }
  return sum;
}

// Student's t at 97.5 %, by degrees of freedom (any table of it); beyond them that of 30 is less
// than 0.1 too large.
constexpr std::array<double, 30> kStudent = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

}  // namespace

RowSize RowSize::of(double duration_s) {
  return {std::max(1.0, std::ceil(duration_s / kWindowS)), duration_s};
}

RowCost::RowCost(std::span<const MeasuredRow> rows) : n_rows_(rows.size()) {
  const Sums s = sums_of(rows);
  const double determinant = s.n * s.xx - s.x * s.x;
  // Two unknowns want rows of different lengths, and one row more than unknowns.
  if (rows.size() > 2 && determinant > 1e-6 * s.n * s.xx) {
    coefficients_ = {(s.xx * s.y - s.x * s.xy) / determinant,
                     (s.n * s.xy - s.x * s.y) / determinant};
    if (coefficients_[0] >= 0 && coefficients_[1] >= 0) {
      covariance_ = {s.xx / determinant, -s.x / determinant, s.n / determinant};
      freedom_ = rows.size() - 2;
    }
  }
  if (freedom_ == 0) {  // one of them alone, whichever fits better
    const std::array<double, 2> by_window = {s.y / s.n, 0};
    const std::array<double, 2> by_second = {0, s.xx > 0 ? s.xy / s.xx : 0};
    const bool is_by_window =
        s.xx <= 0 || squared_error(rows, by_window) <= squared_error(rows, by_second);
    coefficients_ = is_by_window ? by_window : by_second;
    covariance_ = is_by_window ? std::array{1 / s.n, 0.0, 0.0} : std::array{0.0, 0.0, 1 / s.xx};
    freedom_ = rows.size() - 1;
  }
  if (freedom_ > 0) {
    deviation_ = std::sqrt(squared_error(rows, coefficients_) / static_cast<double>(freedom_));
  }
}

double RowCost::mean_error_s(const RowSize& sum) const {
  const double variance = covariance_[0] * sum.windows * sum.windows +
                          2 * covariance_[1] * sum.windows * sum.seconds +
                          covariance_[2] * sum.seconds * sum.seconds;
  return deviation_ * std::sqrt(std::max(0.0, variance));
}

double RowCost::own_error_s(double sum_of_squares) const {
  return deviation_ * std::sqrt(sum_of_squares);
}

double RowCost::quantile() const {
  if (freedom_ == 0) return std::numeric_limits<double>::infinity();
  return kStudent.at(std::min(freedom_, kStudent.size()) - 1);
}

double RowCost::unseen_share() const {
  return 1 - std::pow(0.025, 1 / static_cast<double>(n_rows_));
}

}  // namespace wnpu::app
