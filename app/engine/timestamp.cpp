#include "app/engine/timestamp.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace wnpu::app {
namespace {

// With zeros before it.
std::string digits(std::int64_t number, std::size_t width) {
  std::string text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

}  // namespace

std::int64_t to_milliseconds(double seconds) {
  // The product is in double as in utils.py; comparing this way round sends NaN to 0 too.
  const double milliseconds = seconds * 1000.0;
  return milliseconds > 0 ? static_cast<std::int64_t>(std::nearbyint(milliseconds)) : 0;
}

// openai/whisper utils.py format_timestamp: hours from the first hour on, unless always.
std::string format_timestamp(double seconds, TimestampStyle style) {
  const std::int64_t total = to_milliseconds(seconds);
  const std::int64_t hours = total / 3'600'000;
  std::string text = style.always_hours || hours > 0 ? digits(hours, 2) + ":" : "";
  return text + digits(total / 60'000 % 60, 2) + ":" + digits(total / 1000 % 60, 2) +
         style.decimal_marker + digits(total % 1000, 3);
}

}  // namespace wnpu::app
