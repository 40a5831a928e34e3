#include "app/engine/align/word_edges.h"

#include <algorithm>
#include <cmath>

namespace wnpu::app {
namespace {

// Silence is so far below what is loud in the window, as powers of ten.
constexpr double kSilent = 2;
constexpr double kLoudShare = 0.95;       // of frames are below what is loud
constexpr std::size_t kLongSilence = 16;  // frames; stops of consonants are shorter

std::vector<double> levels_of(const models::LogMel& mel, std::size_t n_frames) {
  std::vector<double> power(n_frames);
  for (std::size_t band = 0; band < mel.values.rows(); ++band) {
    const auto row = mel.values.row(band);
    // Values are (log10 of the power + 4) / 4.
    for (std::size_t i = 0; i < n_frames; ++i)
      power[i] += std::pow(10.0, 4 * static_cast<double>(row[i]));
  }
  for (double& each : power) each = std::log10(each);
  return power;
}

}  // namespace

double attention_lag(const models::Dims& dims) {
  if (dims.n_text_layer == 4 && !dims.is_multilingual()) return 0.1;
  if (dims.n_text_layer == 6 && dims.is_multilingual()) return -0.05;
  return 0;
}

void Sound::hear(const models::LogMel& mel, std::size_t n_frames) {
  is_loud_.assign(n_frames, true);
  if (n_frames == 0) return;
  const std::vector<double> levels = levels_of(mel, n_frames);
  std::vector<double> sorted = levels;
  const auto loud =
      sorted.begin() + static_cast<std::ptrdiff_t>(kLoudShare * static_cast<double>(n_frames - 1));
  std::ranges::nth_element(sorted, loud);
  for (std::size_t i = 0; i < n_frames; ++i) is_loud_[i] = levels[i] > *loud - kSilent;
}

std::pair<std::size_t, std::size_t> Sound::of(std::size_t first, std::size_t end) const {
  end = std::min(end, is_loud_.size());
  std::pair<std::size_t, std::size_t> best{first, first};
  for (std::size_t i = first; i < end;) {
    // Part from i on, with short silence at its begin and in it.
    std::size_t part_end = i;
    std::size_t next = i;
    for (; next < end && next - part_end < kLongSilence; ++next)
      if (is_loud_[next]) part_end = next + 1;
    if (next == end && end - part_end < kLongSilence && part_end > i) part_end = end;
    if (part_end - i > best.second - best.first) best = {i, part_end};
    for (i = std::max(next, i + 1); i < end && !is_loud_[i];) ++i;
  }
  return best.first == best.second ? std::pair{first, std::max(first, end)} : best;
}

std::size_t Sound::count(std::size_t first, std::size_t end) const {
  end = std::min(end, is_loud_.size());
  if (first >= end) return 0;
  const auto at = [&](std::size_t i) { return is_loud_.begin() + static_cast<std::ptrdiff_t>(i); };
  return static_cast<std::size_t>(std::count(at(first), at(end), true));
}

}  // namespace wnpu::app
