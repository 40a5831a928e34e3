#include <algorithm>
#include <memory>
#include <string>

#include "app/engine/audio_input.h"
#include "app/engine/available_cpus.h"
#include "app/engine/error.h"
#include "app/engine/option_check.h"
#include "app/engine/session/model_state.h"
#include "app/engine/session/speech_detector.h"
#include "app/engine/windows/batch_transcriber.h"
#include "app/engine/windows/clip_loop.h"
#include "app/engine/windows/recognizer.h"
#include "models/base/stage_timer.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu {

struct __attribute__((visibility("hidden"))) Session::State {
  State(const Model& of_model, Model::State& shared, unsigned n_threads)
      : model(of_model),
        model_load_s(shared.load_s),
        threads(n_threads == 0 ? shared.threads : std::min(n_threads, app::available_cpus())),
        devices(shared.take_devices()),
        recognizer(shared.loaded, threads, devices.get(),
                   app::cpu_share_of(shared.options.device)) {}

  // For a file, or files, with up to n_together windows at work at once: the detector, if any.
  audio::VadThread* begin(const TranscribeOptions& options, std::size_t n_together);
  void transcribe_together(std::size_t n_together, const TranscribeOptions& options,
                           const RecordingCallbacks& callbacks);
  // Adds what was not known without the session.
  void describe(Transcript& transcript, std::size_t n_together);

  Model model;
  double model_load_s;
  unsigned threads;  // that were asked for
  std::unique_ptr<app::EncoderSet> devices;
  app::Recognizer recognizer;
  double load_s = 0;
  app::SpeechDetector detector;
};

audio::VadThread* Session::State::begin(const TranscribeOptions& options, std::size_t n_together) {
  model.check(options);
  recognizer.encoder().begin_file(n_together);
  return detector.load(options.vad, recognizer.pool().n_threads());
}

void Session::State::transcribe_together(std::size_t n_together, const TranscribeOptions& options,
                                         const RecordingCallbacks& callbacks) {
  const app::BatchWork work{
      .n_together = n_together,
      .options = options,
      .callbacks = callbacks,
      .vad = begin(options, n_together),
      .check = [&](const TranscribeOptions& of_one) { model.check(of_one); },
      .describe = [&](Transcript& transcript) { describe(transcript, n_together); },
  };
  app::BatchTranscriber(recognizer, work).run();
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
      audio::VadThread* const vad = state_->begin(options, options.batch_size);
      Transcript transcript =
          app::transcribe_file(state_->recognizer, options, app::input_of(audio), asking, vad);
      state_->describe(transcript, options.batch_size);
      return transcript;
    });
  });
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
