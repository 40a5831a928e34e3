#include "app/formats/log_event.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

constexpr std::array<std::string_view, 3> kLevels = {"error", "info", "debug"};

double log_thousandths(double value) { return std::nearbyint(value * 1000) / 1000; }

// Text in memory that is there already; what does not fit is left out.
class FixedText {
 public:
  explicit FixedText(std::span<char> room) : room_(room) {}

  void put(char c) {
    if (size_ < room_.size()) room_[size_++] = c;
  }
  void put(std::string_view text) {
    for (const char c : text) put(c);
  }
  void put_number(unsigned value, int digits) {
    unsigned divisor = 1;
    for (int i = 1; i < digits; ++i) divisor *= 10;
    for (; divisor > 0; divisor /= 10) put(static_cast<char>('0' + value / divisor % 10));
  }
  // In a JSON string, up to `limit` bytes of it.
  void put_quoted(std::string_view text, std::size_t limit) {
    for (const char c : text.substr(0, limit)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') put('\\');
      put(byte < 0x20 || byte >= 0x7F ? '?' : c);
    }
  }
  std::size_t size() const { return size_; }

 private:
  std::span<char> room_;
  std::size_t size_ = 0;
};

void put_time(FixedText& text, LogTime time) {
  namespace chrono = std::chrono;
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const auto ms = chrono::floor<chrono::milliseconds>(time - day).count();
  const auto in_day = static_cast<unsigned>(ms);
  text.put_number(static_cast<unsigned>(static_cast<int>(date.year())), 4);
  text.put('-');
  text.put_number(static_cast<unsigned>(date.month()), 2);
  text.put('-');
  text.put_number(static_cast<unsigned>(date.day()), 2);
  text.put('T');
  text.put_number(in_day / 3'600'000, 2);
  text.put(':');
  text.put_number(in_day / 60'000 % 60, 2);
  text.put(':');
  text.put_number(in_day / 1000 % 60, 2);
  text.put('.');
  text.put_number(in_day % 1000, 3);
  text.put('Z');
}

std::string_view without_file(std::string_view message, std::string_view file) {
  return begins_with_file(message, file) ? message.substr(file.size() + 2) : message;
}

}  // namespace

bool begins_with_file(std::string_view message, std::string_view file) {
  return !file.empty() && message.starts_with(file) &&
         message.substr(file.size()).starts_with(": ");
}

std::string utc_text(LogTime time) {
  std::array<char, 32> room{};
  FixedText text(room);
  put_time(text, time);
  return {room.data(), text.size()};
}

std::string log_message_json(LogTime time, LogLevel level, std::string_view message,
                             std::string_view file) {
  nlohmann::ordered_json line = {{"type", "message"},
                                 {"time", utc_text(time)},
                                 {"level", kLevels[static_cast<std::size_t>(level)]}};
  if (!file.empty()) line["file"] = models::repair_utf8(file);
  line["message"] = models::repair_utf8(without_file(message, file));
  return line.dump() + "\n";
}

std::string log_progress_json(LogTime time, const LogProgress& progress) {
  nlohmann::ordered_json line = {{"type", "progress"},
                                 {"time", utc_text(time)},
                                 {"file", models::repair_utf8(progress.file)},
                                 {"unit", progress.unit},
                                 {"done", log_thousandths(progress.done)},
                                 {"total", nullptr},
                                 {"elapsed", log_thousandths(progress.elapsed_s)}};
  if (progress.total) line["total"] = log_thousandths(*progress.total);
  return line.dump() + "\n";
}

std::string log_request_json(LogTime time, const LogRequest& request) {
  const nlohmann::ordered_json line = {{"type", "request"},
                                       {"time", utc_text(time)},
                                       {"id", request.id},
                                       {"method", models::repair_utf8(request.method)},
                                       {"path", models::repair_utf8(request.path)},
                                       {"status", request.status},
                                       {"elapsed", log_thousandths(request.elapsed_s)}};
  return line.dump() + "\n";
}

std::size_t plain_log_error(std::span<char> line, LogTime time, std::string_view message,
                            std::string_view file) {
  constexpr std::size_t kEnds = 128;  // all but the message and the file
  const std::size_t room = line.size() > kEnds ? (line.size() - kEnds) / 4 : 0;
  FixedText text(line);
  text.put(R"({"type":"message","time":")");
  put_time(text, time);
  text.put(R"(","level":"error")");
  if (!file.empty()) {
    text.put(R"(,"file":")");
    text.put_quoted(file, room);
    text.put('"');
  }
  text.put(R"(,"message":")");
  text.put_quoted(without_file(message, file), room);
  text.put("\"}\n");
  return text.size();
}

}  // namespace wnpu::app
