#include "app/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "app/utf8.h"
#include "models/utf8.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kLabelCharacters = 24;
constexpr std::size_t kBarColumns = 30;

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

// One line for a terminal: a file's name may hold anything.
std::string printable(std::string_view text) {
  std::string line = models::repair_utf8(text);
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return line;
}

}  // namespace

std::string progress_line(std::string_view label, double done_s, double total_s, double elapsed_s) {
  const std::string text = printable(label);
  std::string line(first_characters(text, kLabelCharacters));
  line += "  ";
  if (!(total_s > 0)) return line + minutes_and_seconds(done_s) + " done";
  const double share = std::clamp(done_s / total_s, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarColumns));
  std::array<char, 8> percent{};
  std::snprintf(percent.data(), percent.size(), "%3.0f%%", std::floor(share * 100));
  line.append(percent.data()).append(" [");
  line.append(filled, '#').append(kBarColumns - filled, ' ').append("]");
  if (share > 0) {
    line.append(" ").append(minutes_and_seconds(elapsed_s * (1 - share) / share)).append(" left");
  }
  return line;
}

bool wants_progress(Verbosity verbosity, bool err_is_terminal, const char* term) {
  const bool is_dumb =
      term == nullptr || std::string_view(term).empty() || std::string_view(term) == "dumb";
  return verbosity != Verbosity::quiet && err_is_terminal && !is_dumb;
}

void Messages::error(std::string_view text) { print(text); }

void Messages::note(std::string_view text) {
  if (verbosity_ != Verbosity::quiet) print(text);
}

void Messages::detail(std::string_view text) {
  if (verbosity_ == Verbosity::verbose) print(text);
}

void Messages::print(std::string_view text) {
  hide_progress();
  err_ << "whisper-npu: " << printable(text) << '\n' << std::flush;
}

void Messages::begin_progress(std::string label) {
  label_ = std::move(label);
  begin_ = Clock::now();
  drawn_ = {};
  update_progress(0, 0);
}

void Messages::update_progress(double done_s, double total_s) {
  const Clock::time_point now = Clock::now();
  if (!bar_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  bar_is_drawn_ = true;
  const double elapsed_s = std::chrono::duration<double>(now - begin_).count();
  // ECMA-48 EL: erase to the end of the line.
  err_ << '\r' << progress_line(label_, done_s, total_s, elapsed_s) << "\x1b[K" << std::flush;
}

void Messages::hide_progress() {
  if (!bar_is_drawn_) return;
  bar_is_drawn_ = false;
  err_ << "\r\x1b[K" << std::flush;
}

}  // namespace wnpu::app
