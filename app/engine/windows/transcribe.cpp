#include "app/engine/windows/transcribe.h"

#include <exception>
#include <functional>
#include <span>
#include <utility>

#include "app/engine/audio_input.h"
#include "app/engine/windows/clip_loop.h"
#include "app/engine/windows/language_choice.h"
#include "audio/mel/mel_source.h"
#include "decoder/search/decode_options.h"
#include "models/base/stage_timer.h"
#include "models/base/stopped.h"

namespace wnpu::app {
namespace {

// Receiver of the first pass's samples: on_samples, and the voice activity detector if there is
// one.
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

audio::MelOptions reading(Recognizer& recognizer, std::size_t feature_bytes,
                          const Callbacks& callbacks, audio::VadThread* vad, Timing& timing) {
  audio::MelOptions options;
  options.budget_bytes = feature_bytes;
  options.beside = recognizer.pool().n_threads() > 1;
  options.should_stop = callbacks.should_stop;
  if (vad != nullptr) vad->start();
  options.on_pcm = listeners(callbacks, vad, timing.vad);
  return options;
}

}  // namespace

FileAtWork::FileAtWork(Recognizer& recognizer, const TranscribeOptions& options,
                       const audio::Input& input, const Callbacks& callbacks, audio::VadThread* vad)
    : recognizer_(recognizer),
      options_(options),
      input_(input),
      callbacks_(callbacks),
      mel_(input, recognizer.dims().n_mels,
           reading(recognizer, options.feature_bytes, callbacks, vad, transcript_.timing)) {
  transcript_.task = decoder::kTaskNames[static_cast<std::size_t>(options.task)];
  if (callbacks.on_progress) callbacks.on_progress(0, mel_.duration_s());
  if (vad == nullptr) {
    found_ = clips_between(options.clip_timestamps, mel_.content_frames());
    return;
  }
  models::StageTimer timer(transcript_.timing.vad);
  found_ = clips_of_speech(vad->finish(), mel_.content_frames(), options);
}

void FileAtWork::begin() {
  if (mel_.is_stopped()) throw models::Stopped();
  auto encoded = settle_language(recognizer_, options_, found_, mel_, transcript_);
  if (callbacks_.on_beginning)
    callbacks_.on_beginning(beginning_of(transcript_, mel_.duration_s(), found_));
  clips_.emplace(recognizer_, options_, FileEnds{mel_, transcript_, callbacks_}, std::move(found_),
                 std::move(encoded));
}

Transcript FileAtWork::finish(bool is_whole) {
  transcript_.truncated = !is_whole;
  describe_audio(mel_, input_, transcript_);
  if (!recognizer_.vocabulary().is_multilingual()) warn_of_misfit(transcript_);
  if (is_whole) warn_of_clips_beyond(mel_.duration_s(), options_, transcript_.warnings);
  transcript_.timing.total = models::seconds_since(start_);
  return std::move(transcript_);
}

Transcript transcribe_file(Recognizer& recognizer, const TranscribeOptions& options,
                           const audio::Input& input, const Callbacks& callbacks,
                           audio::VadThread* vad) {
  recognizer.set_should_stop(callbacks.should_stop);
  FileAtWork file(recognizer, options, input, callbacks, vad);
  try {
    file.begin();
    ClipLoop loop(recognizer, options.batch_size, callbacks.should_stop);
    FileClips* const clips = &file.clips();
    while (!clips->is_done()) loop.run_round({&clips, 1});
    if (clips->failure()) std::rethrow_exception(clips->failure());
  } catch (const models::Stopped&) {
    return file.finish(false);
  }
  return file.finish(true);
}

}  // namespace wnpu::app
