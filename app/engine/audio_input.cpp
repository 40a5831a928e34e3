#include "app/engine/audio_input.h"

#include <cmath>
#include <cstdint>

#include "app/engine/error.h"
#include "app/engine/option_check.h"
#include "app/engine/whisper_npu.hpp"
#include "audio/mel/mel_source.h"

namespace wnpu::app {

audio::Input input_of(const Audio& audio) {
  check_audio(audio);
  audio::Input input;
  input.path = audio.path;
  input.name = audio.name;
  input.memory = audio.bytes;
  input.audio_track = audio.track;
  input.container_times = audio.container_times;
  input.spool_s = audio.max_duration_s;
  const auto samples = [](double seconds) {
    return static_cast<std::uint64_t>(std::llround(seconds * audio::kSampleRate));
  };
  input.range.first = samples(audio.start_s);
  if (audio.duration_s) input.range.size = samples(*audio.duration_s);
  if (!audio.raw_format.empty()) input.raw_format = audio::parse_raw_format(audio.raw_format);
  return input;
}

std::string name_of(const Audio& audio) {
  if (!audio.name.empty()) return audio.name;
  return audio.path.empty() ? "memory" : audio.path;
}

std::string name_of(const audio::Input& input) {
  if (!input.name.empty()) return input.name;
  return input.path.empty() ? "memory" : input.path.string();
}

void describe_audio(const audio::MelSource& mel, const audio::Input& input,
                    Transcript& transcript) {
  InputInfo& info = transcript.input;
  info.path = name_of(input);
  info.format = mel.info().format;
  info.channels = mel.info().channels;
  info.sample_rate = mel.info().sample_rate;
  info.duration = mel.duration_s();
  const auto& of_audio = mel.warnings();
  transcript.warnings.insert(transcript.warnings.begin(), of_audio.begin(), of_audio.end());
  transcript.timing.decode_audio = mel.timings().decode_s;
  transcript.timing.mel += mel.timings().mel_s;
}

}  // namespace wnpu::app

namespace wnpu {
namespace {

// Mel bands of audio that is read for no model.
constexpr std::size_t kMelsOfNoModel = 80;

Transcript read(const Audio& audio, const Callbacks& callbacks) {
  audio::MelOptions mel_options;
  mel_options.should_stop = callbacks.should_stop;
  mel_options.on_pcm = callbacks.on_samples;
  const audio::Input input = app::input_of(audio);
  audio::MelSource mel(input, kMelsOfNoModel, mel_options);
  models::LogMel window;
  for (std::size_t first = 0; first < mel.content_frames(); first += audio::kWindowFrames) {
    mel.window(first, window);
  }
  Transcript transcript;
  app::describe_audio(mel, input, transcript);
  transcript.truncated = mel.is_stopped();
  return transcript;
}

}  // namespace

Transcript read_audio(const Audio& audio, const Callbacks& callbacks) {
  return app::with_errors(app::name_of(audio), [&] {
    return app::with_stop(callbacks, {},
                          [&](const Callbacks& asking) { return read(audio, asking); });
  });
}

}  // namespace wnpu
