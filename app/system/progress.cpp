#include "app/system/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <unistd.h>

#include "app/formats/shown_text.h"
#include "app/system/terminal.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kLabelColumns = 24;
constexpr std::size_t kLeastLabel = 4;
constexpr std::size_t kBarColumns = 30;
constexpr std::size_t kLeastBar = 8;
constexpr std::size_t kGap = 2;      // between the label and what follows
constexpr std::size_t kBarEnds = 3;  // " [" and "]"

LogFormat process_log_format = LogFormat::text;

}  // namespace

std::string minutes_and_seconds(double seconds) {
  const auto whole = static_cast<long long>(std::clamp(seconds, 0.0, 3.6e8));
  std::array<char, 48> text{};
  if (whole >= 3600) {
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%lld:%02lld", whole / 60, whole % 60);
  }
  return text.data();
}

std::string progress_line(std::string_view label, const Progress& progress, std::size_t columns) {
  // A line as wide as the terminal would leave the cursor beyond its end.
  const std::size_t room = std::max<std::size_t>(columns, 1) - 1;
  const double share =
      progress.total_s > 0 ? std::clamp(progress.done_s / progress.total_s, 0.0, 1.0) : 0;
  std::array<char, 8> percent{};
  std::snprintf(percent.data(), percent.size(), "%3.0f%%", std::floor(share * 100));
  const std::string state = progress.total_s > 0 ? percent.data() : "reading";
  if (state.size() > room) return "";
  std::string left;
  if (share > 0) {
    left = " " + minutes_and_seconds(progress.elapsed_s * (1 - share) / share) + " left";
  }
  if (kGap + kLeastLabel + state.size() + left.size() > room) left.clear();
  const std::size_t rest = room - state.size() - left.size();
  std::string line(
      first_columns(printable(label), rest > kGap ? std::min(kLabelColumns, rest - kGap) : 0));
  if (!line.empty()) line.append(kGap, ' ');
  line += state;
  const std::size_t used = width_of(line) + left.size() + kBarEnds;
  const std::size_t bar = used < room ? std::min(kBarColumns, room - used) : 0;
  if (progress.total_s > 0 && bar >= kLeastBar) {
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar));
    line.append(" [").append(filled, '#').append(bar - filled, ' ').append("]");
  }
  return line += left;
}

bool wants_progress(Verbosity verbosity, bool err_is_terminal, const char* term) {
  const bool is_dumb =
      term == nullptr || std::string_view(term).empty() || std::string_view(term) == "dumb";
  return verbosity != Verbosity::quiet && err_is_terminal && !is_dumb;
}

void use_log_format(LogFormat format) { process_log_format = format; }

LogFormat log_format() { return process_log_format; }

bool ProgressPace::is_due(Clock::time_point now, double done, double total) {
  const bool is_whole = total > 0 && done >= total;
  const bool is_news = !is_begun_ || total != total_ || (is_whole && !is_whole_);
  if (!is_news && now - last_ < std::chrono::seconds(1)) return false;
  is_begun_ = true;
  is_whole_ = is_whole;
  total_ = total;
  last_ = now;
  return true;
}

void Messages::error(std::string_view text, std::string_view file) {
  print(LogLevel::error, text, file);
}

void Messages::note(std::string_view text, std::string_view file) {
  if (verbosity_ != Verbosity::quiet) print(LogLevel::info, text, file);
}

void Messages::detail(std::string_view text, std::string_view file) {
  if (verbosity_ == Verbosity::verbose) print(LogLevel::debug, text, file);
}

void Messages::print(LogLevel level, std::string_view text, std::string_view file) {
  if (log_format() == LogFormat::json) {
    // In one piece: other processes may write to the same stderr.
    err_ << log_message_json(LogTime::clock::now(), level, text, file) << std::flush;
    return;
  }
  hide_progress();
  err_ << "whisper-npu: " << printable(text) << '\n' << std::flush;
}

void Messages::set_place(std::size_t number, std::size_t n) {
  place_ = n > 1 ? std::to_string(number) + " of " + std::to_string(n) + ": " : "";
}

Messages pull_messages(std::ostream& err, Verbosity verbosity) {
  const bool bar = wants_progress(verbosity, ::isatty(STDERR_FILENO) != 0, std::getenv("TERM"));
  return Messages(err, verbosity, bar, [] { return terminal_columns(STDERR_FILENO); });
}

void Messages::begin_bytes(std::string label) {
  file_ = std::move(label);
  is_bytes_ = true;
  first_.reset();
  drawn_ = {};
  pace_.begin();
}

void Messages::begin_progress(std::string file) {
  file_ = std::move(file);
  is_bytes_ = false;
  begin_ = Clock::now();
  drawn_ = {};
  pace_.begin();
  total_s_ = 0;
  update_progress(0, 0);
}

void Messages::log_progress(Clock::time_point now, double done_s, double total_s) {
  if (verbosity_ == Verbosity::quiet || !pace_.is_due(now, done_s, total_s)) return;
  LogProgress progress;
  progress.file = file_;
  if (is_bytes_) progress.unit = "bytes";
  progress.done = done_s;
  if (total_s > 0) progress.total = total_s;
  progress.elapsed_s = std::chrono::duration<double>(now - begin_).count();
  err_ << log_progress_json(LogTime::clock::now(), progress) << std::flush;
}

void Messages::update_progress(double done_s, double total_s) {
  const Clock::time_point now = Clock::now();
  if (is_bytes_ && !first_) {
    first_ = done_s;
    begin_ = now;
  }
  if (log_format() == LogFormat::json) return log_progress(now, done_s, total_s);
  if (!bar_) return;
  const bool is_news = total_s != total_s_;
  if (!is_news && now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  total_s_ = total_s;
  bar_is_drawn_ = true;
  double elapsed_s = std::chrono::duration<double>(now - begin_).count();
  // As if all of it had come as fast as what came since the beginning.
  const double came = done_s - first_.value_or(0);
  if (is_bytes_) elapsed_s = came > 0 ? elapsed_s * done_s / came : 0;
  const std::string label = place_ + std::filesystem::path(file_).filename().string();
  // ECMA-48 EL: erase to the end of the line. Before the text, for behind the last column it would
  // erase that.
  err_ << "\r\x1b[K" << progress_line(label, {done_s, total_s, elapsed_s}, columns_())
       << std::flush;
}

void Messages::hide_progress() {
  if (bar_is_drawn_) clear_line();
}

void Messages::clear_line() {
  bar_is_drawn_ = false;
  if (!bar_ || log_format() == LogFormat::json) return;
  err_ << "\r\x1b[K" << std::flush;
}

}  // namespace wnpu::app
