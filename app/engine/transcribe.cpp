#include "app/engine/transcribe.h"

#include <functional>
#include <span>
#include <vector>

#include "app/engine/audio_input.h"
#include "app/engine/windows/clip_loop.h"
#include "app/engine/windows/clips.h"
#include "app/engine/windows/language_choice.h"
#include "audio/mel/mel_source.h"
#include "decoder/search/decode_options.h"
#include "models/base/stage_timer.h"
#include "models/base/stopped.h"

namespace wnpu::app {
namespace {

// What the first pass hands its samples to.
std::function<void(std::span<const float>)> listeners(const Callbacks& callbacks,
                                                      audio::VadThread* vad, double& vad_s) {
  if (vad == nullptr) return callbacks.on_samples;
  return [&callbacks, vad, &vad_s](std::span<const float> samples) {
    if (callbacks.on_samples) callbacks.on_samples(samples);
    models::StageTimer timer(vad_s);
    vad->push(samples);
  };
}

Beginning beginning_of(const Transcript& transcript, double duration_s,
                       std::span<const Clip> clips) {
  Beginning beginning{transcript.language, transcript.language_probs, duration_s, {}};
  for (const Clip& clip : clips) {
    if (clip.start < clip.end)
      beginning.clips.emplace_back(to_seconds(clip.start), to_seconds(clip.end));
  }
  return beginning;
}

}  // namespace

Transcript transcribe(Recognizer& recognizer, const TranscribeOptions& options,
                      const audio::Input& input, const Callbacks& callbacks,
                      audio::VadThread* vad) {
  const auto start = models::Clock::now();
  Transcript transcript;
  Timing& timing = transcript.timing;
  transcript.task = decoder::kTaskNames[static_cast<std::size_t>(options.task)];
  recognizer.set_should_stop(callbacks.should_stop);
  audio::MelOptions reading;
  reading.beside = recognizer.pool().n_threads() > 1;
  reading.should_stop = callbacks.should_stop;
  if (vad != nullptr) vad->start();
  reading.on_pcm = listeners(callbacks, vad, timing.vad);
  audio::MelSource mel(input, recognizer.dims().n_mels, reading);  // the audio is read here
  if (callbacks.on_progress) callbacks.on_progress(0, mel.duration_s());

  std::vector<Clip> clips;
  if (vad != nullptr) {
    models::StageTimer timer(timing.vad);
    clips = clips_of_speech(vad->finish(), mel.content_frames(), options);
  } else {
    clips = clips_between(options.clip_timestamps, mel.content_frames());
  }
  try {
    if (mel.is_stopped()) throw models::Stopped();
    settle_language(recognizer, options, clips, mel, transcript);
    if (callbacks.on_beginning)
      callbacks.on_beginning(beginning_of(transcript, mel.duration_s(), clips));
    ClipLoop(recognizer, options, mel, transcript, callbacks).run(clips);
  } catch (const models::Stopped&) {
    transcript.truncated = true;
  }
  describe_audio(mel, input, transcript);
  if (!transcript.truncated) warn_of_clips_beyond(mel.duration_s(), options, transcript.warnings);
  timing.total = models::seconds_since(start);
  return transcript;
}

}  // namespace wnpu::app
