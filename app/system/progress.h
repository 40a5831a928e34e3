// Messages on stderr, and on a terminal a progress bar with the time left.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/formats/log_event.h"
#include "app/options/options.h"

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

// How far a batch is.
struct BatchProgress {
  std::size_t n_begun = 0;    // inputs that were begun, the first of the plan
  std::size_t n_ended = 0;    // those of them that are done, skipped or failed; 0 or 1 fewer
  std::size_t n_failed = 0;   // those of them that failed
  std::size_t n_headers = 0;  // that stand on stdout
  double audio_s = 0;         // that was heard
  bool colors_told = false;   // what they say
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

// "1:02", "1:00:02".
std::string minutes_and_seconds(double seconds);

// How all Messages of the process write; text until it is said. main.cpp says it, and commands
// that have --log-format.
void use_log_format(LogFormat format);
LogFormat log_format();

// When the next JSON line of a file's progress is due: at once where something new is known, else
// a second after the last.
class ProgressPace {
 public:
  using Clock = std::chrono::steady_clock;
  bool is_due(Clock::time_point now, double done, double total);
  void begin() { *this = {}; }

 private:
  Clock::time_point last_;
  bool is_begun_ = false;
  bool is_whole_ = false;
  double total_ = 0;
};

class Messages {
 public:
  // `bar`: draw one; in JSON there is none, and progress is told by lines whatever stderr is.
  // `columns` tells the terminal's width, each time that the bar is drawn.
  Messages(
      std::ostream& err, Verbosity verbosity, bool bar,
      std::function<std::size_t()> columns = [] { return std::size_t{80}; })
      : err_(err), verbosity_(verbosity), bar_(bar), columns_(std::move(columns)) {}
  // Nothing of the bar is left, whatever ends the work.
  ~Messages() { hide_progress(); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // `file` is the recording that the text is of, which begins with its name or not; JSON has it
  // apart.
  void error(std::string_view text, std::string_view file = "");   // always
  void note(std::string_view text, std::string_view file = "");    // unless quiet
  void detail(std::string_view text, std::string_view file = "");  // if verbose

  // The files from now on are the `number`-th of `n`, which their bars say of several.
  void set_place(std::size_t number, std::size_t n);
  // A bar for a new file. It is drawn again at most ten times a second, and when the total is
  // known. JSON has a line a second at most, and one where the total is known and where all is
  // done.
  void begin_progress(std::string file);
  // Likewise for a file that comes over the network, in bytes: the time left counts from the first
  // that is told, whatever was there before.
  void begin_bytes(std::string label);
  void update_progress(double done_s, double total_s);
  // File whose progress is shown.
  const std::string& file() const { return file_; }
  // Clears the bar's line, for what is to be printed there.
  void hide_progress();
  // Clears the line where a bar may be that another process has drawn.
  void clear_line();

 private:
  using Clock = std::chrono::steady_clock;

  void print(LogLevel level, std::string_view text, std::string_view file);
  void log_progress(Clock::time_point now, double done_s, double total_s);

  std::ostream& err_;
  Verbosity verbosity_;
  bool bar_;
  std::function<std::size_t()> columns_;
  bool bar_is_drawn_ = false;
  std::string file_;
  std::string place_;  // "2 of 6: "
  bool is_bytes_ = false;
  std::optional<double> first_;  // bytes that were there before
  ProgressPace pace_;
  double total_s_ = 0;
  Clock::time_point begin_;
  Clock::time_point drawn_;
};

// Messages of what is pulled, with a bar as the terminal allows.
Messages pull_messages(std::ostream& err, Verbosity verbosity);

// Whether a bar makes sense: stderr is a terminal that can move its cursor (TERM is not "dumb").
bool wants_progress(Verbosity verbosity, bool err_is_terminal, const char* term);

}  // namespace wnpu::app
