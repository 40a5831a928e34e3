#include <fcntl.h>
#include <sstream>
#include <unistd.h>

#include "app/jobs/run.h"
#include "app/options/exit_code.h"
#include "app/output/output_plan.h"
#include "bench/rtf/rtf.h"
#include "models/base/stage_timer.h"

namespace wnpu::bench {

namespace {

Session load(const app::Options& options, double& load_s) {
  kernels::use_gemm(options.gemm);
  const auto start = models::Clock::now();
  Session session(Model(options.model, {options.model_dir, options.device, options.threads}));
  load_s = models::seconds_since(start);
  return session;
}

}  // namespace

TranscribeRuns::TranscribeRuns(const app::Options& options)
    : options_(options), session_(load(options, load_s_)), null_(::open("/dev/null", O_WRONLY)) {}

TranscribeRuns::~TranscribeRuns() { ::close(null_); }

FileRun TranscribeRuns::run(const std::string& file) {
  FileRun result;
  double segments_s = 0;  // printing them as they come
  double inside_s = 0;
  const app::TranscribeFn transcribe = [&](const std::string& input, const Callbacks& callbacks) {
    Callbacks timed = callbacks;
    timed.on_segment = [&](const Segment& segment) {
      models::StageTimer timer(segments_s);
      callbacks.on_segment(segment);
    };
    models::StageTimer timer(inside_s);
    result.transcript = session_.transcribe({.path = input}, options_.transcribe, timed);
    return result.transcript;
  };
  app::Options options = options_;
  options.inputs = {file};
  std::ostringstream messages;  // the transcript's warnings, which it has itself
  const app::Environment environment{.out = null_, .err = &messages};
  const auto plan = app::plan_outputs(options);
  const auto start = models::Clock::now();
  app::BatchProgress progress;
  app::run(options, plan, transcribe, environment, progress);
  result.total_s = models::seconds_since(start);
  result.output_s = result.total_s - inside_s + segments_s;
  return result;
}

std::string text_of(const Transcript& transcript) {
  std::string text;
  for (const Segment& segment : transcript.segments) text += segment.text;
  return text;
}

}  // namespace wnpu::bench
