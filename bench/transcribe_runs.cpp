#include "bench/transcribe_runs.h"

#include <fcntl.h>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "app/exit_code.h"
#include "app/output_plan.h"
#include "app/signals.h"
#include "app/stage_timer.h"

namespace wnpu::bench {

double FileRun::rest_s() const {
  const app::Timing& t = transcript.timing;
  return total_s - (t.decode_audio + t.vad + t.mel + t.encode + t.decode + output_s);
}

TranscribeRuns::TranscribeRuns(const app::Options& options)
    : options_(options), setup_(app::set_up(options_)), null_(::open("/dev/null", O_WRONLY)) {
  const auto start = app::Clock::now();
  transcriber_ = std::make_unique<app::FileTranscriber>(options_, setup_);
  load_s_ = app::seconds_since(start);
}

TranscribeRuns::~TranscribeRuns() { ::close(null_); }

FileRun TranscribeRuns::run(const std::string& file) {
  FileRun result;
  double segments_s = 0;  // printing them as they come
  double inside_s = 0;
  const app::TranscribeFn transcribe = [&](const std::string& input,
                                           const app::Callbacks& callbacks) {
    app::Callbacks timed = callbacks;
    timed.on_segment = [&](const decoder::Segment& segment) {
      app::StageTimer timer(segments_s);
      callbacks.on_segment(segment);
    };
    app::StageTimer timer(inside_s);
    result.transcript = transcriber_->transcribe(input, timed);
    return result.transcript;
  };
  app::Options options = options_;
  options.inputs = {file};
  std::ostringstream messages;  // the transcript's warnings, which it has itself
  const app::Environment environment{
      .out = null_, .err = &messages, .stop_signal = app::received_signal};
  const auto plan = app::plan_outputs(options);
  const auto start = app::Clock::now();
  const int exit_code = app::run(options, plan, transcribe, environment);
  result.total_s = app::seconds_since(start);
  result.output_s = result.total_s - inside_s + segments_s;
  if (exit_code != 0) throw Stopped{exit_code};
  return result;
}

std::string text_of(const app::Transcript& transcript) {
  std::string text;
  for (const decoder::Segment& segment : transcript.segments) text += segment.text;
  return text;
}

}  // namespace wnpu::bench
