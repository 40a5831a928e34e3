#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "app/engine/available_cpus.h"
#include "app/engine/error.h"
#include "app/engine/model_path.h"
#include "app/engine/model_state.h"
#include "app/engine/option_check.h"
#include "app/engine/recognizer.h"
#include "app/engine/stage_timer.h"
#include "app/engine/transcriber.h"
#include "audio/mel/mel_source.h"
#include "audio/vad/vad_thread.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu {
namespace {

// Mel bands of audio that is read for no model.
constexpr std::size_t kMelsOfNoModel = 80;

audio::Input input_of(const Audio& audio) {
  app::check_audio(audio);
  audio::Input input;
  input.path = audio.path;
  input.memory = audio.bytes;
  input.audio_track = audio.track;
  if (!audio.raw_format.empty()) input.raw_format = audio::parse_raw_format(audio.raw_format);
  return input;
}

std::string name_of(const Audio& audio) { return audio.path.empty() ? "memory" : audio.path; }

// The two ways to stop as one.
Callbacks with_stop(const Callbacks& callbacks, const std::stop_token& stop) {
  Callbacks both = callbacks;
  if (stop.stop_possible()) {
    both.should_stop = [stop, asked = callbacks.should_stop] {
      return stop.stop_requested() || (asked && asked());
    };
  }
  return both;
}

}  // namespace

struct __attribute__((visibility("hidden"))) Session::State {
  State(const Model& of_model, Model::State& shared, unsigned n_threads)
      : model(of_model),
        model_load_s(shared.load_s),
        threads(n_threads == 0 ? shared.threads : std::min(n_threads, app::available_cpus())),
        device(shared.take_device()),
        recognizer(shared.loaded, threads,
                   {.npu = device.get(),
                    .options = app::npu_options(shared.options.device),
                    .falls_back = shared.options.device.falls_back}) {}

  // Loaded when it is first asked for. Throws ModelError.
  audio::VadThread* detector(const VadOptions& options);
  // What ran, with the device's counts since its last reset.
  DeviceInfo device_after(std::size_t n_encoded_before) const;
  Transcript transcribe(const Audio& audio, const TranscribeOptions& options,
                        const Callbacks& callbacks);

  Model model;
  double model_load_s;
  unsigned threads;  // that were asked for
  std::unique_ptr<npu::Device> device;
  app::Recognizer recognizer;
  double load_s = 0;
  std::unique_ptr<audio::VadThread> vad;
  std::string vad_weights;  // of `vad`
};

audio::VadThread* Session::State::detector(const VadOptions& options) {
  if (!options.enabled) return nullptr;
  const std::string weights =
      options.weights.empty() ? app::vad_weights_file().string() : options.weights;
  if (!vad || vad_weights != weights) {
    vad = std::make_unique<audio::VadThread>(weights, recognizer.pool().n_threads() > 1);
    vad_weights = weights;
  }
  return vad.get();
}

Transcript Session::State::transcribe(const Audio& audio, const TranscribeOptions& options,
                                      const Callbacks& callbacks) {
  model.check(options);
  if (device) device->reset_stats();
  const std::size_t n_encoded = recognizer.n_encoded();
  app::Transcriber transcriber(recognizer, options, detector(options.vad));
  Transcript transcript = transcriber.transcribe(input_of(audio), callbacks);
  transcript.device = device_after(n_encoded);
  if (!recognizer.fallback().empty()) {
    transcript.warnings.push_back("the device failed, the CPU took over: " + recognizer.fallback());
  }
  const std::size_t n_threads = recognizer.pool().n_threads();
  if (n_threads < threads) {
    transcript.warnings.push_back("expected " + std::to_string(threads) +
                                  " threads, found room for " + std::to_string(n_threads));
  }
  transcript.model = model.info();
  transcript.timing.load = model_load_s + load_s;
  return transcript;
}

DeviceInfo Session::State::device_after(std::size_t n_encoded_before) const {
  DeviceInfo info = model.device();
  info.kernels = kernels::kernel_description();
  info.isa = kernels::instruction_set_name();
  info.fallback = recognizer.fallback();
  if (!info.fallback.empty()) info.used = "cpu";
  if (!info.npu) return info;
  const npu::RunStats stats = device->stats();
  NpuUse& use = *info.npu;
  if (info.fallback.empty()) use.windows = recognizer.n_encoded() - n_encoded_before;
  use.launches = stats.launches;
  use.submissions = stats.submissions;
  use.ddr_bytes = stats.ddr_read_bytes + stats.ddr_write_bytes;
  const std::size_t n_layers = use.windows * recognizer.dims().n_audio_layer;
  if (n_layers > 0) use.modelled_ms_per_layer = stats.modelled_ms / static_cast<double>(n_layers);
  return info;
}

Session::Session(const Model& model, unsigned threads)
    : state_(app::with_errors(model.info().name, [&] {
        const auto start = app::Clock::now();
        auto state = std::make_unique<State>(model, *model.state_, threads);
        state->load_s = app::seconds_since(start);
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
  return app::with_errors(name_of(audio), [&] {
    return state_->transcribe(audio, options, with_stop(callbacks, stop));
  });
}

Transcript read_audio(const Audio& audio, const Callbacks& callbacks) {
  return app::with_errors(name_of(audio), [&] {
    const auto is_stopped = [&] { return callbacks.should_stop && callbacks.should_stop(); };
    audio::MelOptions mel_options;
    mel_options.should_stop = callbacks.should_stop;
    mel_options.on_pcm = [&](std::span<const float>) { return !is_stopped(); };
    audio::MelSource mel(input_of(audio), kMelsOfNoModel, mel_options);
    models::LogMel window;
    for (std::size_t first = 0; first < mel.content_frames(); first += audio::kWindowFrames) {
      mel.window(first, window);
    }
    Transcript transcript;
    transcript.input = {name_of(audio),         "",
                        mel.info().format,      mel.info().channels,
                        mel.info().sample_rate, mel.duration_s()};
    transcript.timing.decode_audio = mel.timings().decode_s;
    transcript.timing.mel = mel.timings().mel_s;
    transcript.warnings = mel.warnings();
    return transcript;
  });
}

}  // namespace wnpu
