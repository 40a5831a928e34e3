#include "app/formats/confidence_colors.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/formats/shown_text.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

constexpr int kSteps = 10;
// xterm's cube of colours begins at 16 with 36 a step of red and 6 a step of green, of 0 to 5 each.
constexpr int kRed = 16 + 36 * 5;
constexpr int kGreenStep = 6;
constexpr int kRedStep = 36;
constexpr int kYellowAt = 5;  // the step where green is full, and red begins to go

std::string colored(std::string_view text, double probability) {
  std::string out = "\x1b[38;5;";
  out += std::to_string(confidence_color(probability));
  out += 'm';
  out += text;
  return out += "\x1b[0m";
}

// The white space around `text` stays outside of the codes.
std::string colored_inside(std::string_view text, double probability) {
  const std::string_view inside = models::strip(text);
  if (inside.empty()) return std::string(text);
  const auto begin = static_cast<std::size_t>(inside.data() - text.data());
  std::string out(text.substr(0, begin));
  out += colored(inside, probability);
  return out += text.substr(begin + inside.size());
}

}  // namespace

int confidence_color(double probability) {
  const double p = std::isfinite(probability) ? std::clamp(probability, 0.0, 1.0) : 0.0;
  const int step = std::min(static_cast<int>(p * p * p * kSteps), kSteps - 1);
  const int green = kGreenStep * std::min(step, kYellowAt);
  return kRed + green - kRedStep * std::max(step - kYellowAt, 0);
}

std::string with_confidence_colors(const std::string& text, const Segment& segment) {
  std::string out;
  const std::string shown = printable_lines(text);
  std::string_view rest = shown;
  for (const Word& word : segment.words) {
    const std::string whole = printable_lines(word.text);
    std::string_view part = whole;
    // The first and the last word have lost the white space that the text was stripped of.
    if (!rest.starts_with(part) && out.empty()) part = models::strip(part);
    if (!rest.starts_with(part) && &word == &segment.words.back()) {
      part = part.substr(0, rest.size());
    }
    if (!rest.starts_with(part)) break;
    out += colored_inside(part, word.probability);
    rest.remove_prefix(part.size());
  }
  if (!segment.words.empty() && rest.empty()) return out;
  return colored_inside(shown, std::exp(segment.avg_logprob));
}

}  // namespace wnpu::app
