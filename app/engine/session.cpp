#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/audio_input.h"
#include "app/engine/available_cpus.h"
#include "app/engine/devices/device_warnings.h"
#include "app/engine/error.h"
#include "app/engine/model_state.h"
#include "app/engine/option_check.h"
#include "app/engine/recognizer.h"
#include "app/engine/speech_detector.h"
#include "app/engine/transcribe.h"
#include "app/engine/windows/recordings.h"
#include "models/base/stage_timer.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu {
namespace {

std::vector<app::EncoderDevice*> pointers(
    const std::vector<std::unique_ptr<app::EncoderDevice>>& devices) {
  std::vector<app::EncoderDevice*> all;
  all.reserve(devices.size());
  for (const auto& device : devices) all.push_back(device.get());
  return all;
}

}  // namespace

struct __attribute__((visibility("hidden"))) Session::State {
  State(const Model& of_model, Model::State& shared, unsigned n_threads)
      : model(of_model),
        model_load_s(shared.load_s),
        threads(n_threads == 0 ? shared.threads : std::min(n_threads, app::available_cpus())),
        devices(shared.take_devices()),
        recognizer(shared.loaded, threads, pointers(devices), shared.options.device.falls_back,
                   app::division_of(shared.options.device)) {}

  // Device that ran, with the counts since their last reset.
  DeviceInfo device_info();
  // Adds what was not known without the session, of work on up to n_together windows at once.
  void describe(Transcript& transcript, std::size_t n_together);
  Transcript transcribe(const Audio& audio, const TranscribeOptions& options,
                        const Callbacks& callbacks);
  void transcribe_each(std::size_t n_together, const TranscribeOptions& options,
                       const RecordingCallbacks& callbacks);

  Model model;
  double model_load_s;
  unsigned threads;  // that were asked for
  std::vector<std::unique_ptr<app::EncoderDevice>> devices;
  app::Recognizer recognizer;
  double load_s = 0;
  app::SpeechDetector detector;
};

Transcript Session::State::transcribe(const Audio& audio, const TranscribeOptions& options,
                                      const Callbacks& callbacks) {
  model.check(options);
  recognizer.encoder().begin_file(options.batch_size);
  audio::VadThread* const vad = detector.load(options.vad, recognizer.pool().n_threads());
  Transcript transcript =
      app::transcribe(recognizer, options, app::input_of(audio), callbacks, vad);
  describe(transcript, options.batch_size);
  return transcript;
}

void Session::State::transcribe_each(std::size_t n_together, const TranscribeOptions& options,
                                     const RecordingCallbacks& callbacks) {
  app::check_together(n_together, options);
  model.check(options);
  recognizer.encoder().begin_file(n_together);
  const app::RecordingsWork work{
      .n_together = n_together,
      .options = options,
      .callbacks = callbacks,
      .vad = detector.load(options.vad, recognizer.pool().n_threads()),
      .check = [&](const TranscribeOptions& of_one) { model.check(of_one); },
      .describe = [&](Transcript& transcript) { describe(transcript, n_together); },
  };
  app::Recordings(recognizer, work).run();
}

void Session::State::describe(Transcript& transcript, std::size_t n_together) {
  transcript.device = device_info();
  app::warn_of_devices(transcript.device, n_together, transcript.warnings);
  const std::size_t n_wanted = recognizer.n_wanted_threads();
  const std::size_t n_threads = recognizer.pool().n_threads();
  if (n_threads < n_wanted) {
    transcript.warnings.push_back("expected " + std::to_string(n_wanted) +
                                  " threads, found room for " + std::to_string(n_threads));
  }
  transcript.model = model.info();
  transcript.timing.load = model_load_s + load_s;
}

DeviceInfo Session::State::device_info() {
  DeviceInfo info = model.device();
  info.kernels = kernels::kernel_description();
  info.isa = kernels::instruction_set_name();
  info.fallback = recognizer.encoder().fallback();
  if (!info.fallback.empty()) info.used = app::backends().front().name;
  recognizer.encoder().describe(info);
  return info;
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
      return state_->transcribe(audio, options, asking);
    });
  });
}

void Session::transcribe_each(std::size_t n_together, const TranscribeOptions& options,
                              const RecordingCallbacks& callbacks, const std::stop_token& stop) {
  app::with_errors(state_->model.info().name, [&] {
    app::with_stop(callbacks, stop, [&](const RecordingCallbacks& asking) {
      state_->transcribe_each(n_together, options, asking);
    });
  });
}

}  // namespace wnpu
