#include <memory>
#include <string>

#include "app/engine/align/align_file.h"
#include "app/engine/audio_input.h"
#include "app/engine/error.h"
#include "app/engine/option_check.h"
#include "app/engine/session/session_state.h"
#include "app/engine/windows/window_loop.h"
#include "models/base/stage_timer.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu {

app::Listeners Session::State::begin(const TranscribeOptions& options, std::size_t n_together) {
  model.check(options);
  recognizer.encoder().begin_file(n_together);
  return listeners.load(options, recognizer.pool().n_threads());
}

void Session::State::describe(Transcript& transcript, std::size_t n_together) {
  DeviceInfo& device = transcript.device;
  device = model.device();
  device.kernels = kernels::kernel_description();
  device.isa = kernels::instruction_set_name();
  device.fallback = recognizer.encoder().fallback();
  if (!device.fallback.empty()) device.used = app::backends().front().name;
  recognizer.encoder().describe(device);
  app::warn_of_devices(device, n_together, transcript.warnings);
  const std::size_t n_wanted = recognizer.n_wanted_threads();
  const std::size_t n_threads = recognizer.pool().n_threads();
  if (n_threads < n_wanted) {
    transcript.warnings.push_back("expected " + std::to_string(n_wanted) +
                                  " threads, found room for " + std::to_string(n_threads));
  }
  transcript.model = model.info();
  transcript.timing.load = model_load_s + load_s;
}

Session::Session(const Model& model, unsigned threads)
    : state_(app::with_errors(model.info().name, [&] {
        const auto start = models::Clock::now();
        auto state = std::make_unique<State>(model, *model.state_, threads);
        state->load_s = models::seconds_since(start);
        return state;
      })) {}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

unsigned Session::threads() const {
  return static_cast<unsigned>(state_->recognizer.pool().n_threads());
}

Transcript Session::transcribe(const Audio& audio, const TranscribeOptions& options,
                               const Callbacks& callbacks, const std::stop_token& stop) {
  return app::with_errors(app::name_of(audio), [&] {
    return app::with_stop(callbacks, stop, [&](const Callbacks& asking) {
      const app::Listeners listeners = state_->begin(options, options.batch_size);
      Transcript transcript = app::transcribe_file(state_->recognizer, options,
                                                   app::input_of(audio), asking, listeners);
      state_->describe(transcript, options.batch_size);
      return transcript;
    });
  });
}

Transcript Session::align(const Audio& audio, std::span<const std::string> text,
                          const TranscribeOptions& options, const Callbacks& callbacks,
                          const std::stop_token& stop) {
  return app::with_errors(app::name_of(audio), [&] {
    return app::with_stop(callbacks, stop, [&](const Callbacks& asking) {
      app::check_alignment(text, options);
      TranscribeOptions heard = options;
      heard.word_timestamps = true;
      const app::Listeners listeners = state_->begin(heard, heard.batch_size);
      const app::GivenRecording given{app::input_of(audio), text};
      Transcript transcript = app::align_file(state_->recognizer, heard, given, asking, listeners);
      state_->describe(transcript, heard.batch_size);
      return transcript;
    });
  });
}

}  // namespace wnpu
