// Cost of a manifest's rows, from a sample of rows that were measured.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace wnpu::app {

inline constexpr double kWindowS = 30;  // that the encoder hears at once, however short the audio

// A row, or rows together: what their cost grows with.
struct RowSize {
  double windows = 0;
  double seconds = 0;  // of audio

  static RowSize of(double duration_s);
};

struct MeasuredRow {
  double duration_s = 0;
  double work_s = 0;  // wall clock
};

// work_s = window_s * windows + second_s * seconds, by weighted least squares: the error of a row
// is taken to grow with its windows. Neither is below 0.
class RowCost {
 public:
  // `rows` is not empty.
  explicit RowCost(std::span<const MeasuredRow> rows);

  std::size_t rows() const { return n_rows_; }  // that were measured
  double window_s() const { return coefficients_[0]; }
  double second_s() const { return coefficients_[1]; }
  double work_s(const RowSize& size) const {
    return window_s() * size.windows + second_s() * size.seconds;
  }
  // Whether the sample has more rows than the fit has unknowns.
  bool has_errors() const { return freedom_ > 0; }
  // Standard errors: of what is expected of rows together, which more of them do not make smaller;
  double mean_error_s(const RowSize& sum) const;
  // and of what rows themselves are off by, whose windows' squares have this sum.
  double own_error_s(double sum_of_squares) const;
  // Student's t that a two-sided interval of 95 % goes to.
  double quantile() const;
  // Upper bound for the share of rows of a kind that the sample lacks: were there more, one would
  // have been measured with 97.5 %.
  double unseen_share() const;

 private:
  std::size_t n_rows_ = 0;
  double deviation_ = 0;  // of a window
  std::size_t freedom_ = 0;
  std::array<double, 2> coefficients_ = {};
  std::array<double, 3> covariance_ = {};  // by deviation_^2: [0][0], [0][1], [1][1]
};

}  // namespace wnpu::app
