#include "app/engine/windows/clip_loop.h"

#include <algorithm>
#include <future>
#include <utility>

#include "app/engine/windows/decode_with_fallback.h"
#include "app/engine/windows/public_segment.h"
#include "app/engine/windows/word_placement.h"
#include "decoder/text/rest.h"
#include "models/base/stage_timer.h"
#include "models/base/stopped.h"

namespace wnpu::app {

ClipLoop::ClipLoop(Recognizer& recognizer, const TranscribeOptions& options, audio::MelSource& mel,
                   Transcript& transcript, const Callbacks& callbacks)
    : recognizer_(recognizer),
      options_(options),
      mel_(mel),
      transcript_(transcript),
      callbacks_(callbacks),
      window_options_(options, recognizer.dims(), recognizer.vocabulary(), transcript.language),
      is_batched_(options.batch_size > 1),
      carried_(window_options_.first_context()) {}

void ClipLoop::run(std::span<const Clip> clips) {
  std::size_t next = 0;
  while (next < clips.size() || !clips_.empty()) {
    // Beside the clips that are decoded, as many that are encoded.
    const std::size_t n_wanted = overlaps() ? 2 * options_.batch_size : options_.batch_size;
    auto n_open = static_cast<std::size_t>(std::ranges::count(clips_, false, &OpenClip::is_done));
    for (; next < clips.size() && n_open < n_wanted; ++next, ++n_open) open(clips[next]);
    run_round();
  }
}

void ClipLoop::open(const Clip& clip) {
  if (clip.start >= clip.end) return;
  OpenClip& opened = clips_.emplace_back();
  opened.seek = clip.start;
  opened.end = clip.end;
  opened.context = is_batched_ ? window_options_.first_context() : std::move(carried_);
}

bool ClipLoop::overlaps() const { return is_batched_ && recognizer_.encoder().is_on_device(); }

// One batch is decoded. Where that pays, the next is encoded at the same time: the encoder's thread
// touches its clips, mel_, n_windows, timing.mel and timing.encode, this thread all else. The
// encoder's exception comes last, when what was decoded has been handed out.
void ClipLoop::run_round() {
  const Batch to_encode = next_batch(false);
  const Batch to_decode = next_batch(true);
  if (!overlaps()) {
    // What is encoded already, where a device has failed meanwhile, comes first.
    if (to_decode.empty()) encode_into_slots(to_encode);
    decode(to_decode.empty() ? to_encode : to_decode);
    return hand_out();
  }
  // Deferred, which is to say done in get(), where the system gives no thread.
  auto encoded =
      std::async(std::launch::async | std::launch::deferred, [&] { encode_into_clips(to_encode); });
  decode(to_decode);  // where it throws, the encoder, which is asked to stop too, is waited for
  hand_out();
  encoded.get();
}

ClipLoop::Batch ClipLoop::next_batch(bool is_encoded) {
  Batch batch;
  for (OpenClip& clip : clips_) {
    if (batch.size() == options_.batch_size) break;
    if (!clip.is_done() && clip.is_encoded == is_encoded) batch.push_back(&clip);
  }
  return batch;
}

void ClipLoop::encode_into_slots(const Batch& batch) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    OpenClip& clip = *batch[i];
    recognizer_.encode(i, next_window(clip), transcript_.timing);
    clip.states = {};  // of a window before, on a device that has failed
    clip.is_encoded = true;
  }
}

void ClipLoop::encode_into_clips(const Batch& batch) {
  std::vector<EncodeJob> jobs;
  for (OpenClip* const clip : batch) jobs.push_back({&next_window(*clip), &clip->states});
  models::StageTimer timer(transcript_.timing.encode);
  recognizer_.encoder().encode(jobs);
  for (OpenClip* const clip : batch) clip->is_encoded = true;
}

const models::LogMel& ClipLoop::next_window(OpenClip& clip) {
  clip.window = {clip.seek, std::min(audio::kWindowFrames, clip.end - clip.seek)};
  ++transcript_.n_windows;
  return clip.mel.load(mel_, clip.window, clip.end, transcript_.timing.mel);
}

void ClipLoop::decode(const Batch& batch) {
  if (batch.empty()) return;
  models::StageTimer timer(transcript_.timing.decode);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (callbacks_.should_stop && callbacks_.should_stop()) throw models::Stopped();
    batch[i]->slot = i;
    if (batch[i]->states.values.size() > 0) recognizer_.keep(i, batch[i]->states);
  }
  const auto make_job = [&](std::size_t i, double temperature) {
    return job(*batch[i], temperature);
  };
  const auto decoded = decode_with_fallback(recognizer_, window_options_, batch.size(), make_job,
                                            transcript_.n_tokens);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    OpenClip& clip = *batch[i];
    finish_window(clip, decoded[i]);
    clip.is_encoded = false;
    if (!clip.is_done()) continue;
    clip.mel = {};  // it may have to wait for clips before it
    clip.states = {};
  }
}

DecodeJob ClipLoop::job(const OpenClip& clip, double temperature) const {
  return {clip.slot, window_options_.at({clip.window.seek, clip.end}, clip.context, temperature)};
}

void ClipLoop::finish_window(OpenClip& clip, const decoder::Decoded& decoded) {
  clip.seek = clip.window.seek + clip.window.size;
  if (decoder::is_silence(decoded, window_options_.thresholds())) return;
  Context& context = clip.context;
  decoder::SplitWindow split =
      decoder::split_at_timestamps(decoded, clip.window, recognizer_.vocabulary());
  if (options_.word_timestamps) {
    place_words(recognizer_, options_, {job(clip, 0), clip.window, mel_.content_frames()}, split,
                context.last_speech_timestamp);
  }
  if (is_batched_) {
    const std::size_t shortest = window_options_.shortest_rest();
    const bool is_last = decoder::fit_into_clip(split, clip.window, clip.end, shortest);
    double& last_speech = context.last_speech_timestamp;
    if (is_last && options_.word_timestamps)
      last_speech = end_of(split.segments).value_or(last_speech);
  }
  for (decoder::Segment& segment : split.segments) {
    decoder::clear_if_empty(segment);
    context.all_tokens.insert(context.all_tokens.end(), segment.tokens.begin(),
                              segment.tokens.end());
    clip.segments.push_back(std::move(segment));
  }
  // A text that was sampled, or would have had to be, is no good prompt (transcribe.py).
  const bool failed = decoder::needs_fallback(decoded, window_options_.thresholds());
  const double temperature = failed ? window_options_.temperatures().back() : decoded.temperature;
  if (is_batched_ || !options_.condition_on_previous_text || temperature > 0.5) {
    context.prompt_reset_since = context.all_tokens.size();
  }
  clip.seek = split.next_seek;
  const std::size_t rest = clip.end - std::min(clip.end, clip.seek);
  if (options_.vad.enabled && rest < window_options_.shortest_rest()) clip.seek = clip.end;
}

void ClipLoop::hand_out() {
  while (!clips_.empty()) {
    OpenClip& clip = clips_.front();
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
    clips_.pop_front();
  }
}

}  // namespace wnpu::app
