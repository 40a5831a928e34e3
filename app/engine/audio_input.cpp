#include "app/engine/audio_input.h"

#include <cmath>
#include <cstdint>

#include "app/engine/option_check.h"

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
