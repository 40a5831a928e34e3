#include "app/engine/windows/transcription_job.h"

#include <algorithm>
#include <utility>

#include "app/engine/audio_input.h"
#include "app/engine/windows/word_placement.h"
#include "audio/read/error.h"
#include "decoder/search/decode_options.h"
#include "decoder/text/rest.h"
#include "models/base/error.h"

namespace wnpu::app {

TranscriptionJob::TranscriptionJob(Recognizer& recognizer, const TranscribeOptions& options,
                                   const audio::Input& input, const Callbacks& callbacks,
                                   const Listeners& listeners)
    : recognizer_(recognizer),
      options_(options),
      input_(input),
      callbacks_(callbacks),
      is_batched_(options.batch_size > 1),
      is_multilingual_(options.multilingual && recognizer.vocabulary().is_multilingual()),
      wants_probabilities_(options.word_timestamps && listeners.wants_probabilities),
      audio_(input, options, callbacks, listeners,
             {recognizer.dims().n_mels, recognizer.pool().n_threads()}, transcript_.timing),
      labels_(options, audio_, recognizer.vocabulary().eot()),
      all_(audio_.clips()) {
  transcript_.task = decoder::kTaskNames[static_cast<std::size_t>(options.task)];
  if (callbacks.on_progress) callbacks.on_progress(0, duration_s());
}

void TranscriptionJob::begin() {
  if (audio_.is_stopped()) throw models::Stopped();
  if (options_.multilingual && !is_multilingual_)
    transcript_.warnings.emplace_back(
        "`multilingual` has no effect: the model knows English alone");
  const std::size_t loudest = audio_.loudest();
  std::vector<Clip> of_loudest = all_;
  std::erase_if(of_loudest, [=](const Clip& clip) { return clip.channel != loudest; });
  encoded_ = settle_language(recognizer_, options_, of_loudest, audio_.mel(loudest), transcript_);
  if (loudest > 0) encoded_.reset();  // its channel does not begin
  std::erase_if(all_, [](const Clip& clip) { return clip.start >= clip.end; });
  if (callbacks_.on_beginning) {
    Beginning beginning{transcript_.language, transcript_.language_probs, duration_s(), {}};
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
    opened.channel = all_[next_].channel;
    const bool is_first = next_ == 0 || all_[next_ - 1].channel != opened.channel;
    const bool is_new = is_batched_ || is_first;
    opened.context = is_new ? window_options_->first_context() : std::move(carried_);
    if (encoded_ && encoded_->seek == opened.seek) take_encoded(opened);
  }
}

void TranscriptionJob::take_encoded(ActiveClip& opened) {
  if (!next_window(opened)) return;
  opened.states = std::move(encoded_->states);
  opened.stage = ActiveClip::Stage::encoded;
  encoded_.reset();
}

ActiveClip* TranscriptionJob::first_clip(ActiveClip::Stage stage) {
  const auto first = std::ranges::find_if(
      active_, [&](const ActiveClip& clip) { return !clip.is_done() && clip.stage == stage; });
  return first == active_.end() ? nullptr : &*first;
}

std::size_t TranscriptionJob::count(ActiveClip::Stage stage) const {
  return static_cast<std::size_t>(std::ranges::count(active_, stage, &ActiveClip::stage));
}

double TranscriptionJob::remaining_s() const {
  return content_s() - (active_.empty() ? 0 : done_s(active_.front()));
}

double TranscriptionJob::content_s() const { return to_seconds(audio_.mel().content_frames()); }

double TranscriptionJob::done_s(const ActiveClip& clip) const {
  const double of_channel = std::min(to_seconds(clip.seek), content_s());
  return (static_cast<double>(clip.channel) * content_s() + of_channel) /
         static_cast<double>(audio_.n_channels());
}

bool TranscriptionJob::next_window(ActiveClip& clip) {
  clip.window = {clip.seek, std::min(audio::kWindowFrames, clip.stretch_end() - clip.seek)};
  try {
    load_mel(clip);
  } catch (const std::exception&) {
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
    audio_.mel(clip.channel).window(seek, clip.mel);
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
  has_news_ = true;
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
  const DecodedWindow place{decode_job(clip, 0), clip.window,
                            audio_.mel(clip.channel).content_frames(), wants_probabilities_};
  if (options_.word_timestamps) place_words(recognizer_, options_, place, split, last_speech);
  const std::size_t end = clip.stretch_end();
  const std::size_t shortest = window_options_->shortest_rest();
  if (is_batched_ || clip.change) {
    const bool is_last = decoder::fit_into_clip(split, clip.window, end, shortest);
    if (is_last && options_.word_timestamps)
      last_speech = end_of(split.segments).value_or(last_speech);
  }
  if (labels_.needs_words()) time_words(recognizer_, options_, place, split, last_speech);
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

void TranscriptionJob::emit(std::vector<Segment> segments) {
  for (Segment& segment : segments) {
    segment.id = transcript_.segments.size();
    transcript_.segments.push_back(std::move(segment));
    if (callbacks_.on_segment) callbacks_.on_segment(transcript_.segments.back());
  }
}

void TranscriptionJob::emit_segments() {
  if (!std::exchange(has_news_, false)) return;
  while (!active_.empty()) {
    ActiveClip& clip = active_.front();
    for (decoder::Segment& segment : clip.segments)
      emit(labels_.take(std::move(segment), clip.channel));
    clip.segments.clear();
    if (callbacks_.on_progress) callbacks_.on_progress(done_s(clip), content_s());
    if (!clip.is_done()) return;
    if (!is_batched_) carried_ = std::move(clip.context);
    active_.pop_front();
  }
  if (is_done()) emit(labels_.rest());
}

Transcript TranscriptionJob::finish(bool is_whole) {
  transcript_.truncated = !is_whole;
  if (!is_whole) emit(labels_.rest());
  transcript_.speakers = labels_.speakers();
  labels_.warn(transcript_.warnings);
  describe_audio(audio_.mel(), input_, transcript_);
  if (!recognizer_.vocabulary().is_multilingual()) warn_of_misfit(transcript_);
  if (is_whole) warn_of_clips_beyond(duration_s(), options_, transcript_.warnings);
  transcript_.timing.total = models::seconds_since(start_);
  return std::move(transcript_);
}

}  // namespace wnpu::app
