// Times as openai/whisper prints them.
#pragma once

#include <cstdint>
#include <string>

namespace wnpu::app {

// How a time looks: WebVTT and text "01:02.345", SubRip "00:01:02,345".
struct TimestampStyle {
  bool always_hours = false;
  char decimal_marker = '.';
};

// Rounded half to even, as Python's round(); times before the start count as 0.
std::int64_t to_milliseconds(double seconds);
std::string format_timestamp(double seconds, TimestampStyle style);

}  // namespace wnpu::app
