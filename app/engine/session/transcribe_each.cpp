// Session::transcribe_each: recordings together.
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "app/engine/audio_input.h"
#include "app/engine/error.h"
#include "app/engine/option_check.h"
#include "app/engine/session/session_state.h"
#include "app/engine/windows/recording_loop.h"
#include "models/base/error.h"

namespace wnpu {
namespace {

AtWork at_work(const app::RecordingLoop& loop) {
  AtWork all;
  for (const app::TranscriptionJob* const job : loop.jobs()) {
    ++all.n_recordings;
    all.seconds += job->duration_s();
  }
  return all;
}

std::unique_ptr<app::RecordingWork> work_of(const Recording& recording, std::size_t number,
                                            const TranscribeOptions& options,
                                            const RecordingCallbacks& callbacks) {
  auto work = std::make_unique<app::RecordingWork>();
  work->name = app::name_of(recording.audio);
  work->options = options;
  if (!recording.language.empty()) work->options.language = recording.language;
  work->callbacks.should_stop = callbacks.should_stop;
  work->done = [number, &callbacks](Transcript transcript, const std::exception_ptr& failure) {
    callbacks.done(number, std::move(transcript), failure);
  };
  return work;
}

}  // namespace

void Session::State::transcribe_together(std::size_t n_together, const TranscribeOptions& options,
                                         const RecordingCallbacks& callbacks) {
  const app::Listeners listening = begin(options, n_together);
  recognizer.set_should_stop(callbacks.should_stop);
  app::RecordingLoop loop(recognizer, {n_together}, callbacks.should_stop,
                          [&](Transcript& transcript) { describe(transcript, n_together); });
  std::size_t n_given = 0;
  const auto look_for_stop = [&] {
    if (callbacks.should_stop && callbacks.should_stop()) throw models::Stopped();
  };
  // False: there is none so far.
  const auto add_next = [&] {
    const std::optional<Recording> next = callbacks.next(at_work(loop));
    if (!next) return false;
    loop.add(work_of(*next, n_given++, options, callbacks), [&](app::RecordingWork& work) {
      model.check(work.options);
      work.input = app::input_of(next->audio);
      work.read(recognizer, listening);
    });
    look_for_stop();
    return true;
  };
  // False: all is done.
  const auto fill = [&] {
    while (loop.has_room() && add_next()) continue;
    return !loop.is_empty();
  };
  try {
    for (; fill(); look_for_stop()) loop.turn();
  } catch (const models::Stopped&) {
    loop.stop();
  }
}

void Session::transcribe_each(std::size_t n_together, const TranscribeOptions& options,
                              const RecordingCallbacks& callbacks, const std::stop_token& stop) {
  app::with_errors(state_->model.info().name, [&] {
    app::check_together(n_together, options);
    app::with_stop(callbacks, stop, [&](const RecordingCallbacks& asking) {
      state_->transcribe_together(n_together, options, asking);
    });
  });
}

}  // namespace wnpu
