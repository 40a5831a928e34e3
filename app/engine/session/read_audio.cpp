#include "app/engine/audio_input.h"
#include "app/engine/error.h"
#include "app/engine/whisper_npu.hpp"
#include "audio/mel/mel_source.h"

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
