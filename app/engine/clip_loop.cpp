#include "app/engine/clip_loop.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "app/engine/public_segment.h"
#include "app/engine/stage_timer.h"
#include "decoder/text/hallucination.h"
#include "decoder/text/word_timestamps.h"

namespace wnpu::app {
namespace {

using models::TokenId;

constexpr double kFramesPerSecond = 100;
constexpr double kWindowSeconds = 30;

// transcribe.py cli(): temperature, then steps of the increment up to 1.
std::vector<double> temperatures(const TranscribeOptions& options) {
  std::vector<double> all = {options.temperature};
  const double step = options.temperature_increment_on_fallback.value_or(0);
  if (step <= 0) return all;
  for (int i = 1; options.temperature + i * step < 1.0 + 1e-6; ++i) {
    all.push_back(options.temperature + i * step);
  }
  return all;
}

// A text from the command line as the decoder takes it: one space before it, none around.
std::vector<TokenId> encode_text(const models::Vocabulary& vocabulary, const std::string& text) {
  constexpr const char* kSpace = " \t\n\r\f\v";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return {};
  return vocabulary.encode(" " + text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

double to_seconds(std::size_t frames) { return static_cast<double>(frames) / kFramesPerSecond; }

std::size_t to_frame(double seconds) {
  return static_cast<std::size_t>(std::lround(seconds * kFramesPerSecond));
}

// transcribe.py get_end: the last word's end, or the last segment's where there are no words; none
// without segments.
std::optional<double> end_of(std::span<const decoder::Segment> segments) {
  for (std::size_t i = segments.size(); i-- > 0;) {
    if (!segments[i].words.empty()) return segments[i].words.back().end;
  }
  if (segments.empty()) return std::nullopt;
  return segments.back().end;
}

}  // namespace

ClipLoop::ClipLoop(Recognizer& recognizer, const TranscribeOptions& options, audio::MelSource& mel,
                   Transcript& transcript, const Callbacks& callbacks)
    : recognizer_(recognizer),
      options_(options),
      mel_(mel),
      transcript_(transcript),
      callbacks_(callbacks),
      batch_size_(options.batch_size),
      is_batched_(options.batch_size > 1),
      thresholds_{options.compression_ratio_threshold, options.logprob_threshold,
                  options.no_speech_threshold},
      temperatures_(temperatures(options)),
      initial_prompt_(encode_text(recognizer.vocabulary(), options.initial_prompt)),
      hotwords_(encode_text(recognizer.vocabulary(), options.hotwords)),
      prefix_(encode_text(recognizer.vocabulary(), options.prefix)) {
  carried_.all_tokens = initial_prompt_;
}

bool ClipLoop::run(const std::vector<FrameRange>& ranges) {
  std::size_t next = 0;
  while (next < ranges.size() || !clips_.empty()) {
    // Beside the clips that are decoded, as many that are encoded.
    const std::size_t n_wanted = overlaps() ? 2 * batch_size_ : batch_size_;
    auto n_open = static_cast<std::size_t>(std::ranges::count(clips_, false, &Clip::is_done));
    for (; next < ranges.size() && n_open < n_wanted; ++next, ++n_open) start(ranges[next]);
    if (!run_round()) return false;
  }
  return true;
}

void ClipLoop::start(const FrameRange& range) {
  if (range.start >= range.end) return;
  Clip clip;
  clip.seek = range.start;
  clip.end = range.end;
  clip.context.all_tokens = initial_prompt_;
  if (!is_batched_) clip.context = std::move(carried_);
  clips_.push_back(std::move(clip));
}

bool ClipLoop::overlaps() const { return is_batched_ && recognizer_.encodes_beside_decoding(); }

// One batch is decoded. Where that pays, the next is encoded at the same time: the encoder's thread
// touches its clips, mel_, n_windows, timing.mel and timing.encode, this thread all else. The
// encoder's exception comes last, when what was decoded has been handed out.
bool ClipLoop::run_round() {
  const auto to_encode = next_batch(false);
  const auto to_decode = next_batch(true);
  if (!overlaps()) {
    // What is encoded already, where a device has failed meanwhile, comes first.
    if (to_decode.empty() && !encode(to_encode)) return false;
    if (!decode(to_decode.empty() ? to_encode : to_decode)) return false;
    hand_out();
    return true;
  }
  // Deferred, which is to say done in get(), where the system gives no thread.
  auto encoded = std::async(std::launch::async | std::launch::deferred,
                            [&] { return encode_beside(to_encode); });
  if (!decode(to_decode)) return false;  // the encoder, which is asked to stop too, is waited for
  hand_out();
  return encoded.get();
}

std::vector<ClipLoop::Clip*> ClipLoop::next_batch(bool is_encoded) {
  std::vector<Clip*> batch;
  for (Clip& clip : clips_) {
    if (batch.size() == batch_size_) break;
    if (!clip.is_done() && clip.is_encoded == is_encoded) batch.push_back(&clip);
  }
  return batch;
}

void ClipLoop::load_window(Clip& clip) {
  clip.window = {clip.seek, std::min(audio::kWindowFrames, clip.end - clip.seek)};
  load_mel(clip);
  ++transcript_.n_windows;
}

bool ClipLoop::encode(const std::vector<Clip*>& clips) {
  for (std::size_t i = 0; i < clips.size(); ++i) {
    load_window(*clips[i]);
    if (!recognizer_.encode(i, clips[i]->mel, &transcript_.timing)) return false;
    clips[i]->states = {};  // of a window before, on a device that has failed
    clips[i]->is_encoded = true;
  }
  return true;
}

bool ClipLoop::encode_beside(const std::vector<Clip*>& clips) {
  for (Clip* clip : clips) {
    load_window(*clip);
    StageTimer timer(transcript_.timing.encode);
    if (!recognizer_.encode(clip->mel, clip->states)) return false;
    clip->is_encoded = true;
  }
  return true;
}

bool ClipLoop::decode(const std::vector<Clip*>& clips) {
  if (clips.empty()) return true;
  StageTimer timer(transcript_.timing.decode);
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (callbacks_.should_stop && callbacks_.should_stop()) return false;
    clips[i]->slot = i;
    if (clips[i]->states.values.size() > 0) recognizer_.keep(i, clips[i]->states);
  }
  const auto decoded = decode_with_fallback(clips);
  if (!decoded) return false;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    Clip& clip = *clips[i];
    finish_window(clip, (*decoded)[i]);
    clip.is_encoded = false;
    if (!clip.is_done()) continue;
    clip.mel = {};  // it may have to wait for clips before it
    clip.states = {};
  }
  return true;
}

// A window of a clip that fits into 30 s lies within the clip's first: it is shifted and not read
// again, since in a long file reading backwards means decoding it from the start.
void ClipLoop::load_mel(Clip& clip) {
  const std::size_t n_frames = audio::kWindowFrames;
  const bool holds_rest = clip.mel_start && clip.end <= *clip.mel_start + n_frames;
  if (!holds_rest) {
    mel_.window(clip.window.seek, clip.mel);
    clip.mel_start = clip.window.seek;
  }
  StageTimer timer(transcript_.timing.mel);
  const std::size_t shift = clip.window.seek - *clip.mel_start;
  clip.mel_start = clip.window.seek;
  for (std::size_t m = 0; m < clip.mel.values.rows(); ++m) {
    const auto row = clip.mel.values.row(m);
    std::shift_left(row.begin(), row.end(), static_cast<std::ptrdiff_t>(shift));
    std::ranges::fill(row.subspan(clip.window.size), 0.0F);
  }
}

// Windows that fail a test are decoded again together, at the next temperature.
std::optional<std::vector<decoder::Decoded>> ClipLoop::decode_with_fallback(
    const std::vector<Clip*>& clips) {
  std::vector<std::vector<decoder::Decoded>> tries(clips.size());
  std::vector<std::size_t> open(clips.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  for (const double temperature : temperatures_) {
    std::vector<DecodeJob> jobs;
    jobs.reserve(open.size());
    for (const std::size_t i : open) {
      jobs.push_back({clips[i]->slot, decode_options(*clips[i], temperature)});
    }
    const auto decoded = recognizer_.decode(jobs);
    if (!decoded) return std::nullopt;
    std::vector<std::size_t> failed;
    for (std::size_t j = 0; j < open.size(); ++j) {
      tries[open[j]].push_back((*decoded)[j]);
      transcript_.n_tokens += (*decoded)[j].tokens.size();
      if (decoder::needs_fallback((*decoded)[j], thresholds_)) failed.push_back(open[j]);
    }
    open = std::move(failed);
    if (open.empty()) break;
  }
  for (const std::size_t i : open) {
    const std::size_t best = decoder::best_try(tries[i], thresholds_);
    std::swap(tries[i][best], tries[i].back());
  }
  std::vector<decoder::Decoded> results;
  results.reserve(tries.size());
  for (auto& of_window : tries) results.push_back(std::move(of_window.back()));
  return results;
}

decoder::DecodeOptions ClipLoop::decode_options(const Clip& clip, double temperature) const {
  decoder::DecodeOptions decode;
  decode.task = static_cast<decoder::Task>(options_.task);
  decode.language = transcript_.language;
  decode.temperature = static_cast<float>(temperature);
  if (temperature > 0) decode.best_of = options_.best_of;
  if (temperature == 0 && options_.beam_size > 1) decode.beam_size = options_.beam_size;
  decode.patience = static_cast<float>(options_.patience);
  if (options_.length_penalty) decode.length_penalty = static_cast<float>(*options_.length_penalty);
  if (options_.sample_len > 0) decode.sample_len = options_.sample_len;
  if (options_.word_timestamps) limit_to_alignment(decode);
  decode.prompt = prompt(clip);
  if (clip.seek == 0) decode.prefix = prefix_;
  decode.suppress_tokens = options_.suppress_tokens;
  decode.suppress_blank = options_.suppress_blank;
  decode.without_timestamps = options_.without_timestamps;
  decode.max_initial_timestamp.reset();
  if (options_.max_initial_timestamp) {
    decode.max_initial_timestamp = static_cast<float>(*options_.max_initial_timestamp);
  }
  decode.speech_end = speech_end(clip);
  decode.repetition_penalty = static_cast<float>(options_.repetition_penalty);
  decode.no_repeat_ngram_size = options_.no_repeat_ngram_size;
  // Windows differ in their random numbers; the same file gives the same text.
  decode.seed = options_.seed + clip.seek;
  return decode;
}

// What is decoded with word timestamps has to fit into the context once more.
void ClipLoop::limit_to_alignment(decoder::DecodeOptions& decode) const {
  const auto sot = decoder::sot_sequence(recognizer_.vocabulary(), decode);
  const std::size_t longest = decoder::longest_alignment(recognizer_.dims(), sot.size());
  if (decode.sample_len.value_or(0) > longest) decode.sample_len = longest;
}

// A chunk is speech up to its end. A rest of it would cost a window, and be heard without the text
// before it.
std::optional<float> ClipLoop::speech_end(const Clip& clip) const {
  const std::size_t rest = clip.end - std::min(clip.end, clip.seek);
  if (!forces_speech() || rest > audio::kWindowFrames) return std::nullopt;
  return static_cast<float>(to_seconds(rest) - to_seconds(shortest_rest()));
}

bool ClipLoop::forces_speech() const { return is_batched_ && options_.vad.enabled; }

std::size_t ClipLoop::shortest_rest() const {
  return forces_speech() ? decoder::kShortestForcedRestFrames : decoder::kShortestRestFrames;
}

// What stays (a carried initial prompt, hotwords), then as much of what was said as there is room.
std::vector<TokenId> ClipLoop::prompt(const Clip& clip) const {
  std::vector<TokenId> tokens;
  std::size_t first_said = clip.context.prompt_reset_since;
  if (options_.carry_initial_prompt) {
    tokens = initial_prompt_;
    first_said = std::max(first_said, initial_prompt_.size());
  }
  tokens.insert(tokens.end(), hotwords_.begin(), hotwords_.end());
  const auto& all = clip.context.all_tokens;
  const auto said = std::span(all).subspan(std::min(first_said, all.size()));
  const std::size_t half = recognizer_.dims().n_text_ctx / 2 - 1;
  const auto recent = said.last(std::min(said.size(), half - std::min(half, tokens.size())));
  tokens.insert(tokens.end(), recent.begin(), recent.end());
  return tokens;
}

void ClipLoop::finish_window(Clip& clip, const decoder::Decoded& decoded) {
  clip.seek = clip.window.seek + clip.window.size;
  if (decoder::is_silence(decoded, thresholds_)) return;
  decoder::SplitWindow split =
      decoder::split_at_timestamps(decoded, clip.window, recognizer_.vocabulary());
  if (options_.word_timestamps) add_words(clip, split);
  if (is_batched_) fit_into_clip(clip, split);
  Context& context = clip.context;
  for (decoder::Segment& segment : split.segments) {
    decoder::clear_if_empty(segment);
    context.all_tokens.insert(context.all_tokens.end(), segment.tokens.begin(),
                              segment.tokens.end());
    clip.segments.push_back(std::move(segment));
  }
  // A text that was sampled, or would have had to be, is no good prompt (transcribe.py).
  const bool failed = decoder::needs_fallback(decoded, thresholds_);
  const double temperature = failed ? temperatures_.back() : decoded.temperature;
  if (is_batched_ || !options_.condition_on_previous_text || temperature > 0.5) {
    context.prompt_reset_since = context.all_tokens.size();
  }
  clip.seek = split.next_seek;
  if (options_.vad.enabled && clip.end - std::min(clip.end, clip.seek) < shortest_rest())
    clip.seek = clip.end;
}

// A chunk is alone: there is no speech behind it, and no text before its rest.
void ClipLoop::fit_into_clip(Clip& clip, decoder::SplitWindow& split) {
  const double end = to_seconds(clip.end);
  for (decoder::Segment& segment : split.segments) {
    segment.start = std::min(segment.start, end);
    segment.end = std::min(segment.end, end);
  }
  if (clip.window.seek + clip.window.size < clip.end) return;
  decoder::join_short_rest(split, clip.window, shortest_rest());
  double& last_speech = clip.context.last_speech_timestamp;
  if (options_.word_timestamps) last_speech = end_of(split.segments).value_or(last_speech);
}

// transcribe.py, `if word_timestamps`: words, then the seek that follows from them, then probable
// hallucinations.
void ClipLoop::add_words(Clip& clip, decoder::SplitWindow& split) {
  const decoder::Window& window = clip.window;
  const double window_start = to_seconds(window.seek);
  const TokenId eot = recognizer_.vocabulary().eot();
  std::vector<std::vector<TokenId>> texts;
  for (const decoder::Segment& segment : split.segments) {
    std::ranges::copy_if(segment.tokens, std::back_inserter(texts.emplace_back()),
                         [eot](TokenId id) { return id < eot; });
  }
  auto words = recognizer_.align({clip.slot, decode_options(clip, 0)}, texts, window.size);
  double& last_speech = clip.context.last_speech_timestamp;
  decoder::place_words(std::move(words),
                       {options_.prepend_punctuations, options_.append_punctuations},
                       {window_start, last_speech}, split.segments);
  const double last_end = end_of(split.segments).value_or(window_start);
  const bool moves = !split.single_timestamp_ending && last_end > window_start;
  if (moves) split.next_seek = to_frame(last_end);
  if (options_.hallucination_silence_threshold) {
    const double threshold = *options_.hallucination_silence_threshold;
    const decoder::WindowTimes times{window_start, to_seconds(window.size),
                                     window_start + kWindowSeconds,
                                     to_seconds(mel_.content_frames()), last_speech};
    if (moves && times.end - last_end <= threshold) split.next_seek = window.seek + window.size;
    const auto verdict = decoder::judge_hallucinations(split.segments, times, threshold);
    if (verdict.drop_from) split.segments.resize(*verdict.drop_from);
    if (verdict.seek) split.next_seek = to_frame(*verdict.seek);
  }
  // Times are rounded to frames: without this, a window could be decoded for ever.
  split.next_seek = std::max(split.next_seek, window.seek + 1);
  last_speech = end_of(split.segments).value_or(last_speech);
}

void ClipLoop::hand_out() {
  while (!clips_.empty()) {
    Clip& clip = clips_.front();
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
