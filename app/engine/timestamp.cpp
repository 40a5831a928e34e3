#include "app/engine/timestamp.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace wnpu::app {

std::int64_t to_milliseconds(double seconds) {
  // The product is in double as in utils.py; comparing this way round sends NaN to 0 too.
  const double milliseconds = seconds * 1000.0;
  return milliseconds > 0 ? static_cast<std::int64_t>(std::nearbyint(milliseconds)) : 0;
}

// openai/whisper utils.py format_timestamp: hours from the first hour on, unless always.
std::string format_timestamp(double seconds, TimestampStyle style) {
  const auto total = static_cast<long long>(to_milliseconds(seconds));
  const long long hours = total / 3'600'000;
  std::string text;
  std::array<char, 40> field{};
  if (style.always_hours || hours > 0) {
    std::snprintf(field.data(), field.size(), "%02lld:", hours);
    text += field.data();
  }
  std::snprintf(field.data(), field.size(), "%02lld:%02lld%c%03lld", total / 60'000 % 60,
                total / 1000 % 60, style.decimal_marker, total % 1000);
  return text += field.data();
}

}  // namespace wnpu::app
