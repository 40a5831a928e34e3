// Messages and progress beside the results, as JSON lines by log.schema.json (--log-format json).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wnpu::app {

enum class LogLevel {
  error,
  info,  // what --quiet leaves out
  debug  // what --verbose adds
};

using LogTime = std::chrono::system_clock::time_point;

// "2026-11-25T07:30:12.123Z": UTC, ISO 8601.
std::string utc_text(LogTime time);

// "talk.wav: expected ...", of "talk.wav".
bool begins_with_file(std::string_view message, std::string_view file);

// One line. A message that begins with the file's name and a colon has it as `file` alone; no file:
// the message is of none.
std::string log_message_json(LogTime time, LogLevel level, std::string_view message,
                             std::string_view file = "");

// How far a file is: seconds of its audio, or bytes that have come.
struct LogProgress {
  std::string_view file;
  std::string_view unit = "s";  // or "bytes"
  double done = 0;
  std::optional<double> total;  // none: not known yet
  double elapsed_s = 0;         // of work
};
std::string log_progress_json(LogTime time, const LogProgress& progress);

// A request that a server has answered, or whose client has left.
struct LogRequest {
  std::string_view id;
  std::string_view method;
  std::string_view path;  // without its query
  unsigned status = 0;    // 499: the client has left before there was an answer
  double elapsed_s = 0;
};
std::string log_request_json(LogTime time, const LogRequest& request);

// log_message_json() of an error for where memory is gone, or in a signal handler: what of the line
// fits into `line`, with its end; bytes beyond ASCII and control characters are question marks.
// Returns its length.
std::size_t plain_log_error(std::span<char> line, LogTime time, std::string_view message,
                            std::string_view file = "");

}  // namespace wnpu::app
