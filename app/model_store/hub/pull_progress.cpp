#include "app/model_store/hub/pull_progress.h"

#include <cstdlib>
#include <unistd.h>

#include "app/system/terminal.h"

namespace wnpu::app {

PullProgress::PullProgress(std::ostream& err, Verbosity verbosity)
    : err_(&err),
      is_quiet_(verbosity == Verbosity::quiet),
      has_bar_(wants_progress(verbosity, ::isatty(STDERR_FILENO) != 0, std::getenv("TERM"))) {}

void PullProgress::note(const std::string& text) {
  if (is_quiet_) return;
  end();
  Messages(*err_, Verbosity::normal, false).note(text);
}

void PullProgress::begin(const std::string& label) {
  label_ = label;
  is_begun_ = false;
  drawn_ = {};
  pace_.begin();
}

void PullProgress::log(Clock::time_point now, std::uint64_t done, std::uint64_t total) {
  const auto here = static_cast<double>(done);
  const auto all = static_cast<double>(total);
  if (is_quiet_ || !pace_.is_due(now, here, all)) return;
  LogProgress progress;
  progress.file = label_;
  progress.unit = "bytes";
  progress.done = here;
  if (total > 0) progress.total = all;
  progress.elapsed_s = std::chrono::duration<double>(now - begin_).count();
  *err_ << log_progress_json(LogTime::clock::now(), progress) << std::flush;
}

void PullProgress::tell(std::uint64_t done, std::uint64_t total) {
  const bool is_json = log_format() == LogFormat::json;
  if (!has_bar_ && !is_json) return;
  const Clock::time_point now = Clock::now();
  if (!is_begun_) {
    is_begun_ = true;
    first_ = done;
    begin_ = now;
  }
  if (is_json) return log(now, done, total);
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  is_drawn_ = true;
  // As if all of it had come as fast as what came since the beginning.
  const double elapsed_s = std::chrono::duration<double>(now - begin_).count();
  const auto here = static_cast<double>(done);
  const auto came = static_cast<double>(done - first_);
  const Progress progress{here, static_cast<double>(total), came > 0 ? elapsed_s * here / came : 0};
  // ECMA-48 EL, as the bar of a transcription.
  *err_ << "\r\x1b[K" << progress_line(label_, progress, terminal_columns(STDERR_FILENO))
        << std::flush;
}

void PullProgress::end() {
  if (is_drawn_) *err_ << "\r\x1b[K" << std::flush;
  is_drawn_ = false;
}

}  // namespace wnpu::app
