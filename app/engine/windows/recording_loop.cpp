#include "app/engine/windows/recording_loop.h"

#include <iterator>
#include <utility>

#include "app/engine/audio_input.h"
#include "app/engine/error.h"
#include "models/base/error.h"

namespace wnpu::app {
namespace {

bool is_stopped(const RecordingWork& work) {
  return work.callbacks.should_stop && work.callbacks.should_stop();
}

// Whether a recording that cannot be begun has failed for itself.
bool is_its_own(const std::exception& failure, const RecordingWork& work) {
  switch (error_code(failure)) {
    case ErrorCode::stopped:
      return is_stopped(work);
    case ErrorCode::usage:  // its language, or its stretch
    case ErrorCode::audio:
    case ErrorCode::library:
    case ErrorCode::resources:
      return true;
    default:
      return false;
  }
}

}  // namespace

void RecordingWork::read(Recognizer& recognizer, const Listeners& listeners) {
  if (!job) job.emplace(recognizer, options, input, callbacks, listeners);
}

void end_failed(const RecordingWork& work) {
  try {
    with_errors(work.name, [] { throw; });
  } catch (...) {
    work.done({}, std::current_exception());
  }
}

RecordingLoop::RecordingLoop(Recognizer& recognizer, WindowRoom room,
                             std::function<bool()> should_stop,
                             std::function<void(Transcript&)> describe)
    : describe_(std::move(describe)), loop_(recognizer, room, std::move(should_stop)) {}

std::vector<const TranscriptionJob*> RecordingLoop::jobs() const {
  std::vector<const TranscriptionJob*> all;
  for (const auto& each : open_) all.push_back(&*each->job);
  return all;
}

void RecordingLoop::add(std::unique_ptr<RecordingWork> work,
                        const std::function<void(RecordingWork&)>& open) {
  RecordingWork& added = *open_.emplace_back(std::move(work));
  try {
    open(added);
    added.job->begin();
  } catch (const std::exception& failure) {
    if (!is_its_own(failure, added)) throw;
    const std::unique_ptr<RecordingWork> ended = std::move(open_.back());
    open_.pop_back();
    if (ended->job && is_stopped(*ended)) return done(*ended, false);
    return end_failed(*ended);
  }
  retire();  // one without speech is done already
}

void RecordingLoop::turn() {
  std::vector<TranscriptionJob*> jobs;
  for (const auto& each : open_) jobs.push_back(&*each->job);
  loop_.turn(jobs);
  for (TranscriptionJob* const job : jobs) job->emit_segments();
  retire();
}

void RecordingLoop::retire() {
  for (auto each = open_.begin(); each != open_.end();) {
    const RecordingWork& work = **each;
    const bool has_ended = work.job->is_done() || is_stopped(work);
    if (has_ended) end(**each);
    each = has_ended ? open_.erase(each) : std::next(each);
  }
}

void RecordingLoop::end(RecordingWork& work) {
  loop_.drop(*work.job);
  const bool is_whole = work.job->is_done() && !work.job->failure();
  if (is_whole || is_stopped(work)) return done(work, is_whole);
  try {
    std::rethrow_exception(work.job->failure());
  } catch (...) {
    end_failed(work);
  }
}

void RecordingLoop::done(RecordingWork& ended, bool is_whole) {
  Transcript transcript = ended.job->finish(is_whole);
  describe_(transcript);
  ended.done(std::move(transcript), nullptr);
}

void RecordingLoop::stop() {
  while (!open_.empty()) {
    const std::unique_ptr<RecordingWork> ended = std::move(open_.front());
    open_.pop_front();
    loop_.drop(*ended->job);
    done(*ended, false);
  }
}

void RecordingLoop::fail_all() {
  while (!open_.empty()) {
    const std::unique_ptr<RecordingWork> ended = std::move(open_.front());
    open_.pop_front();
    if (ended->job) loop_.drop(*ended->job);
    end_failed(*ended);
  }
}

}  // namespace wnpu::app
