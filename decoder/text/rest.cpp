#include "decoder/text/rest.h"

#include <algorithm>
#include <cmath>

namespace wnpu::decoder {
namespace {

constexpr std::size_t kShortRestFrames = 500;

}  // namespace

void join_short_rest(SplitWindow& split, const Window& window, std::size_t shortest) {
  const std::size_t window_end = window.seek + window.size;
  const std::size_t rest = window_end - std::min(window_end, split.next_seek);
  if (rest < shortest || rest >= kShortRestFrames || split.segments.size() < 2) return;
  const auto back =
      static_cast<std::size_t>(std::lround(split.segments.back().start * kFramesPerSecond));
  // The next window has to begin after this one.
  if (back <= window.seek || back >= split.next_seek) return;
  split.segments.pop_back();
  split.next_seek = back;
}

bool fit_into_clip(SplitWindow& split, const Window& window, std::size_t clip_end,
                   std::size_t shortest) {
  const double end = static_cast<double>(clip_end) / kFramesPerSecond;
  for (Segment& segment : split.segments) {
    segment.start = std::min(segment.start, end);
    segment.end = std::min(segment.end, end);
  }
  const bool is_last = window.seek + window.size >= clip_end;
  if (is_last) join_short_rest(split, window, shortest);
  return is_last;
}

}  // namespace wnpu::decoder
