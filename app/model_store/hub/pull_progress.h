// Progress of a pull on stderr: messages, and on a terminal a bar with the time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "app/options/options.h"
#include "app/system/progress.h"

namespace wnpu::app {

class PullProgress {
 public:
  PullProgress(std::ostream& err, Verbosity verbosity);
  ~PullProgress() { end(); }
  PullProgress(const PullProgress&) = delete;
  PullProgress& operator=(const PullProgress&) = delete;

  void note(const std::string& text);  // unless quiet

  // The bar of a file; it is drawn at most ten times a second. In JSON lines, as Messages has them.
  void begin(const std::string& label);
  void tell(std::uint64_t done, std::uint64_t total);
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  void log(Clock::time_point now, std::uint64_t done, std::uint64_t total);

  std::ostream* err_;
  bool is_quiet_;
  bool has_bar_;
  bool is_drawn_ = false;
  std::string label_;
  ProgressPace pace_;
  bool is_begun_ = false;    // bytes have come
  std::uint64_t first_ = 0;  // bytes that were there before
  Clock::time_point begin_;
  Clock::time_point drawn_;
};

}  // namespace wnpu::app
