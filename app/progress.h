// What people see on stderr: messages, and on a terminal a bar with the time left.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <string_view>

#include "app/options.h"

namespace wnpu::app {

// "jfk.wav  37% [###########                   ] 0:12 left"; total_s 0 means that nobody knows yet
// how long the audio is: "jfk.wav  0:41 done". At most 79 columns.
std::string progress_line(std::string_view label, double done_s, double total_s, double elapsed_s);

class Messages {
 public:
  // `bar`: draw one. Colours are never used, so NO_COLOR is respected.
  Messages(std::ostream& err, Verbosity verbosity, bool bar)
      : err_(err), verbosity_(verbosity), bar_(bar) {}

  void error(std::string_view text);   // always
  void note(std::string_view text);    // unless quiet
  void detail(std::string_view text);  // if verbose

  // A bar for a new file. It is drawn again at most ten times a second.
  void begin_progress(std::string label);
  void update_progress(double done_s, double total_s);
  // Clears the bar's line, for what is to be printed there.
  void hide_progress();

 private:
  void print(std::string_view text);

  using Clock = std::chrono::steady_clock;
  std::ostream& err_;
  Verbosity verbosity_;
  bool bar_;
  bool bar_is_drawn_ = false;
  std::string label_;
  Clock::time_point begin_;
  Clock::time_point drawn_;
};

// Whether a bar makes sense: stderr is a terminal that can move its cursor (TERM is not "dumb").
bool wants_progress(Verbosity verbosity, bool err_is_terminal, const char* term);

}  // namespace wnpu::app
