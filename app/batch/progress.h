// What people see on stderr: messages, and on a terminal a bar with the time left.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "app/cli/options.h"

namespace wnpu::app {

// How far a file is: seconds of its audio, and seconds of work. total_s 0: it is still being read.
struct Progress {
  double done_s = 0;
  double total_s = 0;
  double elapsed_s = 0;
};

// "jfk.wav   37% [###########                   ] 0:12 left", or "jfk.wav  reading"; with less room
// the bar becomes shorter and goes, then the time left, then the name. Less than `columns` wide,
// and at most 79.
std::string progress_line(std::string_view label, const Progress& progress, std::size_t columns);

class Messages {
 public:
  // `bar`: draw one. Colours are never used, so NO_COLOR is respected.
  // `columns` tells the terminal's width, each time that the bar is drawn.
  Messages(
      std::ostream& err, Verbosity verbosity, bool bar,
      std::function<std::size_t()> columns = [] { return std::size_t{80}; })
      : err_(err), verbosity_(verbosity), bar_(bar), columns_(std::move(columns)) {}
  // Nothing of the bar is left, whatever ends the work.
  ~Messages() { hide_progress(); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void error(std::string_view text);   // always
  void note(std::string_view text);    // unless quiet
  void detail(std::string_view text);  // if verbose

  // A bar for a new file. It is drawn again at most ten times a second, and when the total is
  // known.
  void begin_progress(std::string label);
  void update_progress(double done_s, double total_s);
  // Clears the bar's line, for what is to be printed there.
  void hide_progress();
  // Clears the line where a bar may be that another process has drawn.
  void clear_line();

 private:
  void print(std::string_view text);

  using Clock = std::chrono::steady_clock;
  std::ostream& err_;
  Verbosity verbosity_;
  bool bar_;
  std::function<std::size_t()> columns_;
  bool bar_is_drawn_ = false;
  std::string label_;
  double total_s_ = 0;
  Clock::time_point begin_;
  Clock::time_point drawn_;
};

// Whether a bar makes sense: stderr is a terminal that can move its cursor (TERM is not "dumb").
bool wants_progress(Verbosity verbosity, bool err_is_terminal, const char* term);

}  // namespace wnpu::app
