#include "app/engine/windows/transcription_job.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "app/engine/audio_input.h"
#include "app/engine/windows/public_segment.h"
#include "app/engine/windows/word_placement.h"
#include "audio/read/error.h"
#include "decoder/search/decode_options.h"
#include "decoder/text/rest.h"
#include "models/base/error.h"

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

TranscriptionJob::TranscriptionJob(Recognizer& recognizer, const TranscribeOptions& options,
                                   const audio::Input& input, const Callbacks& callbacks,
                                   audio::VadThread* vad)
    : recognizer_(recognizer),
      options_(options),
      input_(input),
      callbacks_(callbacks),
      is_batched_(options.batch_size > 1),
      is_multilingual_(options.multilingual && recognizer.vocabulary().is_multilingual()),
      mel_(input, recognizer.dims().n_mels,
           reading(recognizer, options.feature_bytes, callbacks, vad, transcript_.timing)) {
  transcript_.task = decoder::kTaskNames[static_cast<std::size_t>(options.task)];
  if (callbacks.on_progress) callbacks.on_progress(0, mel_.duration_s());
  if (vad == nullptr) {
    all_ = clips_between(options.clip_timestamps, mel_.content_frames());
    return;
  }
  models::StageTimer timer(transcript_.timing.vad);
  all_ = clips_of_speech(vad->finish(), mel_.content_frames(), options);
}

void TranscriptionJob::begin() {
  if (mel_.is_stopped()) throw models::Stopped();
  if (options_.multilingual && !is_multilingual_)
    transcript_.warnings.emplace_back(
        "`multilingual` has no effect: the model knows English alone");
  encoded_ = settle_language(recognizer_, options_, all_, mel_, transcript_);
  std::erase_if(all_, [](const Clip& clip) { return clip.start >= clip.end; });
  if (callbacks_.on_beginning) {
    Beginning beginning{transcript_.language, transcript_.language_probs, mel_.duration_s(), {}};
    for (const Clip& clip : all_) {
      beginning.clips.emplace_back(to_seconds(clip.start), to_seconds(clip.end));
    }
    callbacks_.on_beginning(beginning);
  }
  window_options_.emplace(options_, recognizer_.dims(), recognizer_.vocabulary(),
                          transcript_.language);
  language_ = transcript_.language;
  carried_ = window_options_->first_context();
}

void TranscriptionJob::open_clips(std::size_t n_wanted) {
  if (!is_batched_) n_wanted = active_.empty() ? 1 : 0;  // which has handed its context on
  auto n_open = static_cast<std::size_t>(std::ranges::count(active_, false, &ActiveClip::is_done));
  for (; next_ < all_.size() && n_open < n_wanted; ++next_, ++n_open) {
    ActiveClip& opened = active_.emplace_back();
    opened.file = this;
    opened.seek = all_[next_].start;
    opened.end = all_[next_].end;
    opened.context = is_batched_ ? window_options_->first_context() : std::move(carried_);
    if (encoded_ && encoded_->seek == opened.seek) take_encoded(opened);
  }
}

void TranscriptionJob::take_encoded(ActiveClip& opened) {
  if (!is_multilingual_) {
    opened.window = {opened.seek, audio::kWindowFrames};
    ++transcript_.n_windows;
  } else if (!next_window(opened)) {  // its log-mel tells where a change may be
    return;
  }
  opened.states = std::move(encoded_->states);
  opened.is_encoded = true;
  encoded_.reset();
}

bool TranscriptionJob::next_window(ActiveClip& clip) {
  clip.window = {clip.seek, std::min(audio::kWindowFrames, clip.stretch_end() - clip.seek)};
  try {
    load_mel(clip);
  } catch (const audio::AudioError&) {
    failure_ = std::current_exception();
    return false;
  }
  ++transcript_.n_windows;
  return true;
}

// Shifts the matrix instead of loading it again if the rest of the clip lies within the 30 s loaded
// last: in a long file, reading backwards means decoding the audio from its start. The encoder may
// pool what is behind the window.
void TranscriptionJob::load_mel(ActiveClip& clip) {
  const auto [seek, size] = clip.window;
  if (!clip.mel_seek || clip.end > *clip.mel_seek + audio::kWindowFrames) {
    mel_.window(seek, clip.mel);
    clip.mel_seek = seek;
  }
  const models::StageTimer timer(transcript_.timing.mel);
  const std::size_t shift = seek - std::exchange(*clip.mel_seek, seek);
  for (std::size_t m = 0; m < clip.mel.values.rows(); ++m) {
    const auto row = clip.mel.values.row(m);
    std::shift_left(row.begin(), row.end(), static_cast<std::ptrdiff_t>(shift));
    std::ranges::fill(row.subspan(size), 0.0F);
  }
  clip.mel.poolable_from = options_.pool_padding ? std::optional(size) : std::nullopt;
}

DecodeJob TranscriptionJob::decode_job(const ActiveClip& clip, double temperature) const {
  const WindowPlace place{clip.window.seek, clip.stretch_end()};
  return {clip.slot, window_options_->at(place, clip.context, temperature)};
}

void TranscriptionJob::finish_window(ActiveClip& clip, const decoder::Decoded& decoded) {
  clip.seek = clip.window.seek + clip.window.size;
  if (!decoder::is_silence(decoded, window_options_->thresholds())) add_segments(clip, decoded);
  if (!clip.change || clip.seek < *clip.change) return;
  clip.seek = *clip.change;
  clip.change.reset();
  clip.mel_seek.reset();
}

// Segments of a window, and the next window's place.
void TranscriptionJob::add_segments(ActiveClip& clip, const decoder::Decoded& decoded) {
  decoder::SplitWindow split =
      decoder::split_at_timestamps(decoded, clip.window, recognizer_.vocabulary());
  double& last_speech = clip.context.last_speech_timestamp;
  if (options_.word_timestamps) {
    place_words(recognizer_, options_, {decode_job(clip, 0), clip.window, mel_.content_frames()},
                split, last_speech);
  }
  const std::size_t end = clip.stretch_end();
  const std::size_t shortest = window_options_->shortest_rest();
  if (is_batched_ || clip.change) {
    const bool is_last = decoder::fit_into_clip(split, clip.window, end, shortest);
    if (is_last && options_.word_timestamps)
      last_speech = end_of(split.segments).value_or(last_speech);
  }
  for (decoder::Segment& segment : split.segments) {
    decoder::clear_if_empty(segment);
    if (is_multilingual_) segment.language = clip.context.language;
    auto& tokens = clip.context.all_tokens;
    tokens.insert(tokens.end(), segment.tokens.begin(), segment.tokens.end());
    clip.segments.push_back(std::move(segment));
  }
  if (!split.is_skipped) pass_on_context(clip, decoded);
  clip.seek = split.next_seek;
  const std::size_t rest = end - std::min(end, clip.seek);
  if ((options_.vad.enabled || clip.change) && rest < shortest) clip.seek = end;
}

// A text that was sampled, or would have had to be, is no good prompt (transcribe.py).
void TranscriptionJob::pass_on_context(ActiveClip& clip, const decoder::Decoded& decoded) const {
  const bool failed = decoder::needs_fallback(decoded, window_options_->thresholds());
  const double temperature = failed ? window_options_->temperatures().back() : decoded.temperature;
  if (is_batched_ || !options_.condition_on_previous_text || temperature > 0.5) {
    clip.context.prompt_reset_since = clip.context.all_tokens.size();
  }
}

void TranscriptionJob::emit_segments() {
  while (!active_.empty()) {
    ActiveClip& clip = active_.front();
    for (decoder::Segment& segment : clip.segments) {
      segment.id = transcript_.segments.size();
      transcript_.segments.push_back(public_segment(std::move(segment)));
      if (callbacks_.on_segment) callbacks_.on_segment(transcript_.segments.back());
    }
    clip.segments.clear();
    if (callbacks_.on_progress) {
      const std::size_t content = mel_.content_frames();
      callbacks_.on_progress(to_seconds(std::min(clip.seek, content)), to_seconds(content));
    }
    if (!clip.is_done()) return;
    if (!is_batched_) carried_ = std::move(clip.context);
    active_.pop_front();
  }
}

Transcript TranscriptionJob::finish(bool is_whole) {
  transcript_.truncated = !is_whole;
  describe_audio(mel_, input_, transcript_);
  if (!recognizer_.vocabulary().is_multilingual()) warn_of_misfit(transcript_);
  if (is_whole) warn_of_clips_beyond(mel_.duration_s(), options_, transcript_.warnings);
  transcript_.timing.total = models::seconds_since(start_);
  return std::move(transcript_);
}

}  // namespace wnpu::app
