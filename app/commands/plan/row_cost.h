// Cost of a manifest's rows, by a line through a sample of rows that were measured.
#pragma once

#include <cstddef>
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

// Numbers of `size` rows, or of all where there are no more, in the manifest's order: rows are put
// in order by duration and cut into `size` parts with equally many windows, and the middle of each
// part is taken, so that long rows and short ones are there as they share the work.
std::vector<std::size_t> sample_rows(std::span<const double> durations_s, std::size_t size);

struct MeasuredRow {
  double duration_s = 0;
  double work_s = 0;  // wall clock
};

// work_s = window_s * windows + second_s * seconds, neither below 0.
struct RowCost {
  double window_s = 0;
  double second_s = 0;
  double spread = 0;  // standard deviation of the rows around the line, by their mean

  // The straight line through the rows' work a window over their seconds a window; `rows` is not
  // empty.
  static RowCost of(std::span<const MeasuredRow> rows);
  double work_s(const RowSize& size) const {
    return window_s * size.windows + second_s * size.seconds;
  }
};

}  // namespace wnpu::app
