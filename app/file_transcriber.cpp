#include "app/file_transcriber.h"

#include <chrono>
#include <utility>

#include "app/exit_code.h"
#include "audio/mel_source.h"
#include "models/instruction_set.h"
#include "models/ops.h"

namespace wnpu::app {
namespace {

// Mel bands of a dry run, which has no model to ask.
constexpr std::size_t kDryRunMels = 80;

// What the options ask of the model, before any audio is read.
void check_served(const Recognizer& recognizer, const TranscribeOptions& options,
                  const std::string& model) {
  const models::Vocabulary& vocabulary = recognizer.vocabulary();
  const bool english_only = !vocabulary.is_multilingual();
  if (options.task == decoder::Task::translate && english_only) {
    throw UsageError("--task translate: the model " + model +
                     " is English-only; a multilingual one is needed");
  }
  const std::string& language = options.language;
  if (language.empty()) return;
  const bool known =
      english_only ? language == "en" : vocabulary.language_token(language).has_value();
  if (!known) {
    throw UsageError("--language " + language + ": the model " + model +
                     (english_only ? " is English-only" : " does not know it"));
  }
}

}  // namespace

FileTranscriber::FileTranscriber(const Options& options, const Setup& setup)
    : options_(options), device_(setup.device) {
  if (options.dry_run) return;
  const auto start = std::chrono::steady_clock::now();
  recognizer_ = std::make_unique<Recognizer>(
      setup.model, setup.threads,
      EncoderDevice{setup.device.npu.get(),
                    {.precision = options.device.precision, .plan = options.device.plan},
                    options.device.falls_back,
                    options.device.cpu_precision});
  transcriber_ = std::make_unique<Transcriber>(*recognizer_, options.transcribe);
  load_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  check_served(*recognizer_, options.transcribe, options.model);
  model_.name = options.model;
  model_.path = setup.model.string();
  model_.format = recognizer_->file().format();
  model_.quantization = recognizer_->file().main_dtype();
}

Transcript FileTranscriber::transcribe(const std::string& input, const Callbacks& callbacks) {
  if (!transcriber_) return measure_audio(input_of(input), callbacks);
  if (device_.npu) device_.npu->reset_stats();
  const std::size_t n_encoded = recognizer_->n_encoded();
  Transcript transcript = transcriber_->transcribe(input_of(input), callbacks);
  transcript.device = device_after(n_encoded);
  if (!recognizer_->fallback().empty()) {
    transcript.warnings.push_back("the device failed, the CPU took over: " +
                                  recognizer_->fallback());
  }
  transcript.model = model_;
  transcript.timing.load = load_s_;
  return transcript;
}

// What ran, with the device's counts since the file's first window.
DeviceInfo FileTranscriber::device_after(std::size_t n_encoded_before) const {
  DeviceInfo info = device_.info;
  info.kernels = models::kernel_description();
  info.isa = models::instruction_set();
  info.fallback = recognizer_->fallback();
  if (!info.fallback.empty()) info.used = "cpu";
  if (!info.npu) return info;
  const npu::RunStats stats = device_.npu->stats();
  NpuUse& use = *info.npu;
  if (info.fallback.empty()) use.windows = recognizer_->n_encoded() - n_encoded_before;
  use.launches = stats.launches;
  use.submissions = stats.submissions;
  use.ddr_bytes = stats.ddr_read_bytes + stats.ddr_write_bytes;
  const std::size_t n_layers = use.windows * recognizer_->dims().n_audio_layer;
  if (n_layers > 0) use.modelled_ms_per_layer = stats.modelled_ms / static_cast<double>(n_layers);
  return info;
}

audio::Input FileTranscriber::input_of(const std::string& name) const {
  audio::Input input;
  input.path = name;
  if (name == "-") input.raw_format = options_.stdin_format;
  return input;
}

Transcript FileTranscriber::measure_audio(const audio::Input& input,
                                          const Callbacks& callbacks) const {
  audio::MelOptions mel_options;
  mel_options.on_pcm = [&](std::span<const float>) { return !callbacks.is_cancelled(); };
  audio::MelSource mel(input, kDryRunMels, mel_options);
  models::LogMel window;
  for (std::size_t first = 0; first < mel.content_frames(); first += audio::kWindowFrames) {
    mel.window(first, window);
  }
  Transcript transcript;
  transcript.input = {input.path.string(),    "",
                      mel.info().format,      mel.info().channels,
                      mel.info().sample_rate, mel.duration_s()};
  transcript.device = device_.info;
  transcript.timing.decode_audio = mel.timings().decode_s;
  transcript.timing.mel = mel.timings().mel_s;
  transcript.warnings = mel.warnings();
  return transcript;
}

}  // namespace wnpu::app
