#include "audio/read/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace wnpu::audio {

std::string number_text(double value) {
  std::array<char, 400> text{};
  const double rounded = std::abs(value) < 1e12 ? std::round(value * 1000) / 1000 : value;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), rounded).ptr;
  return {text.data(), end};
}

}  // namespace wnpu::audio
