#include "app/transcriber.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <span>

#include "decoder/hallucination.h"

namespace wnpu::app {
namespace {

using Clock = std::chrono::steady_clock;
using models::TokenId;

constexpr double kFramesPerSecond = 100;
constexpr double kWindowSeconds = 30;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Adds the time of a scope to a stage.
class StageTimer {
 public:
  explicit StageTimer(double& stage) : stage_(stage) {}
  ~StageTimer() { stage_ += seconds_since(start_); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& stage_;
  Clock::time_point start_ = Clock::now();
};

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

decoder::Thresholds thresholds(const TranscribeOptions& options) {
  return {options.compression_ratio_threshold, options.logprob_threshold,
          options.no_speech_threshold};
}

std::span<const TokenId> from(const std::vector<TokenId>& tokens, std::size_t first) {
  return std::span(tokens).subspan(std::min(first, tokens.size()));
}

// transcribe.py get_end: the last word's end, or the last segment's where there are no words.
double speech_end(std::span<const decoder::Segment> segments) {
  for (std::size_t i = segments.size(); i-- > 0;) {
    if (!segments[i].words.empty()) return segments[i].words.back().end;
  }
  return segments.back().end;
}

}  // namespace

// Where the loop stands in one file.
struct Transcriber::FileState {
  explicit FileState(audio::MelSource& source) : mel(source) {}

  audio::MelSource& mel;
  Transcript transcript;
  std::size_t seek = 0;                 // frame at which the next window begins
  std::vector<TokenId> initial_prompt;  // tokens of the option
  std::vector<TokenId> all_tokens;      // of every segment so far, the initial prompt first
  std::size_t prompt_reset_since = 0;   // tokens before this are no prompt any more
  double last_speech_timestamp = 0;     // seconds; end of the last word, with word timestamps
};

Transcriber::Transcriber(Recognizer& recognizer, const TranscribeOptions& options)
    : recognizer_(recognizer),
      options_(options),
      temperatures_(temperatures(options)),
      mel_{models::Matrix(recognizer.dims().n_mels, recognizer.dims().n_mel_frames())} {}

Transcript Transcriber::transcribe(const audio::Input& input, const Callbacks& callbacks) {
  const auto start = Clock::now();
  recognizer_.set_should_stop(callbacks.is_cancelled);
  audio::MelOptions mel_options;
  if (callbacks.is_cancelled) {
    mel_options.on_pcm = [&](std::span<const float>) { return !callbacks.is_cancelled(); };
  }
  audio::MelSource mel(input, recognizer_.dims().n_mels, mel_options);
  FileState state(mel);
  Transcript& transcript = state.transcript;
  set_initial_prompt(state);
  transcript.truncated =
      mel.is_cancelled() || !choose_language(state) || !run_clips(state, callbacks);

  transcript.task = options_.task == decoder::Task::translate ? "translate" : "transcribe";
  transcript.input.path = input.path.string();
  transcript.input.format = mel.info().format;
  transcript.input.channels = mel.info().channels;
  transcript.input.sample_rate = mel.info().sample_rate;
  transcript.input.duration = mel.duration_s();
  transcript.warnings = mel.warnings();
  transcript.timing.decode_audio = mel.timings().decode_s;
  transcript.timing.mel = mel.timings().mel_s;
  transcript.timing.total = seconds_since(start);
  return std::move(transcript);
}

void Transcriber::set_initial_prompt(FileState& state) const {
  const auto first = options_.initial_prompt.find_first_not_of(" \t\n\r");
  if (first == std::string::npos) return;
  state.initial_prompt =
      recognizer_.vocabulary().encode(" " + options_.initial_prompt.substr(first));
  state.all_tokens = state.initial_prompt;
}

bool Transcriber::choose_language(FileState& state) {
  Transcript& transcript = state.transcript;
  transcript.language = options_.language;
  if (!transcript.language.empty()) return true;
  transcript.language = "en";
  if (!recognizer_.vocabulary().is_multilingual()) return true;
  if (!encode_window(state, {0, mel_.values.cols()})) return false;
  transcript.language_probs = recognizer_.language_probabilities();
  transcript.language = transcript.language_probs.front().first;
  return true;
}

bool Transcriber::run_clips(FileState& state, const Callbacks& callbacks) {
  const std::size_t content = state.mel.content_frames();
  std::vector<std::size_t> bounds;
  for (const double seconds : options_.clip_timestamps) {
    bounds.push_back(static_cast<std::size_t>(std::lround(seconds * kFramesPerSecond)));
  }
  if (bounds.empty()) bounds.push_back(0);
  if (bounds.size() % 2 == 1) bounds.push_back(content);
  for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
    state.seek = std::max(state.seek, bounds[i]);
    const std::size_t end = std::min(bounds[i + 1], content);
    while (state.seek < end) {
      if (!run_window(state, end, callbacks)) return false;
      if (callbacks.on_progress) {
        callbacks.on_progress(static_cast<double>(std::min(state.seek, content)) / kFramesPerSecond,
                              static_cast<double>(content) / kFramesPerSecond);
      }
    }
  }
  return true;
}

bool Transcriber::run_window(FileState& state, std::size_t clip_end, const Callbacks& callbacks) {
  const decoder::Window window{state.seek, std::min(mel_.values.cols(), clip_end - state.seek)};
  if (!encode_window(state, window)) return false;
  StageTimer timer(state.transcript.timing.decode);
  const auto decoded = decode_with_fallback(state);
  if (!decoded) return false;
  state.seek = window.seek + window.size;
  if (decoder::is_silence(*decoded, thresholds(options_))) return true;
  decoder::SplitWindow split =
      decoder::split_at_timestamps(*decoded, window, recognizer_.vocabulary());
  if (options_.word_timestamps) add_words(state, window, split);
  take_over(state, split, callbacks);
  // A text that was sampled is no good prompt (transcribe.py, temperature > 0.5).
  if (!options_.condition_on_previous_text || decoded->temperature > 0.5) {
    state.prompt_reset_since = state.all_tokens.size();
  }
  state.seek = split.next_seek;
  return true;
}

bool Transcriber::encode_window(FileState& state, const decoder::Window& window) {
  state.mel.window(window.seek, mel_);
  for (std::size_t m = 0; m < mel_.values.rows(); ++m) {
    std::ranges::fill(mel_.values.row(m).subspan(window.size), 0.0F);
  }
  StageTimer timer(state.transcript.timing.encode);
  return recognizer_.encode(mel_);
}

std::optional<decoder::Decoded> Transcriber::decode_with_fallback(FileState& state) {
  std::optional<decoder::Decoded> decoded;
  for (const double temperature : temperatures_) {
    decoded = recognizer_.decode(decode_options(state, temperature));
    if (!decoded || !decoder::needs_fallback(*decoded, thresholds(options_))) break;
  }
  return decoded;
}

// transcribe.py, `if word_timestamps`: words, then the seek that follows from them, then probable
// hallucinations.
void Transcriber::add_words(FileState& state, const decoder::Window& window,
                            decoder::SplitWindow& split) {
  const double window_start = static_cast<double>(window.seek) / kFramesPerSecond;
  const TokenId eot = recognizer_.vocabulary().eot();
  std::vector<TokenId> text;
  for (const decoder::Segment& segment : split.segments) {
    std::ranges::copy_if(segment.tokens, std::back_inserter(text),
                         [eot](TokenId id) { return id < eot; });
  }
  auto words = recognizer_.align(decode_options(state, 0), text, window.size);
  decoder::place_words(std::move(words), options_.punctuation,
                       {window_start, state.last_speech_timestamp, eot}, split.segments);
  const auto to_frame = [](double s) {
    return static_cast<std::size_t>(std::lround(s * kFramesPerSecond));
  };
  const double last_end = speech_end(split.segments);
  if (!split.single_timestamp_ending && last_end > window_start)
    split.next_seek = to_frame(last_end);
  if (options_.hallucination_silence_threshold) {
    const double threshold = *options_.hallucination_silence_threshold;
    const double window_end = window_start + kWindowSeconds;
    const bool long_rest = window_end - last_end > threshold;
    if (!split.single_timestamp_ending && last_end > window_start && !long_rest) {
      split.next_seek = window.seek + window.size;
    }
    const double content = static_cast<double>(state.mel.content_frames()) / kFramesPerSecond;
    const auto verdict = decoder::judge_hallucinations(
        split.segments,
        {window_start, static_cast<double>(window.size) / kFramesPerSecond, window_end, content,
         state.last_speech_timestamp},
        threshold);
    if (verdict.drop_from) split.segments.resize(*verdict.drop_from);
    if (verdict.seek) split.next_seek = to_frame(*verdict.seek);
  }
  if (!split.segments.empty()) state.last_speech_timestamp = speech_end(split.segments);
}

void Transcriber::take_over(FileState& state, decoder::SplitWindow& split,
                            const Callbacks& callbacks) {
  for (decoder::Segment& segment : split.segments) {
    decoder::clear_if_empty(segment);
    segment.id = state.transcript.segments.size();
    state.all_tokens.insert(state.all_tokens.end(), segment.tokens.begin(), segment.tokens.end());
    state.transcript.segments.push_back(std::move(segment));
    if (callbacks.on_segment) callbacks.on_segment(state.transcript.segments.back());
  }
}

decoder::DecodeOptions Transcriber::decode_options(const FileState& state,
                                                   double temperature) const {
  decoder::DecodeOptions decode;
  decode.task = options_.task;
  decode.language = state.transcript.language;
  decode.temperature = static_cast<float>(temperature);
  if (temperature > 0) decode.best_of = options_.best_of;
  if (temperature == 0 && options_.beam_size > 1) decode.beam_size = options_.beam_size;
  decode.patience = static_cast<float>(options_.patience);
  if (options_.length_penalty) decode.length_penalty = static_cast<float>(*options_.length_penalty);
  if (options_.sample_len > 0) decode.sample_len = options_.sample_len;
  decode.prompt = prompt(state);
  decode.suppress_tokens = options_.suppress_tokens;
  decode.suppress_blank = options_.suppress_blank;
  decode.without_timestamps = options_.without_timestamps;
  decode.max_initial_timestamp.reset();
  if (options_.max_initial_timestamp) {
    decode.max_initial_timestamp = static_cast<float>(*options_.max_initial_timestamp);
  }
  decode.repetition_penalty = static_cast<float>(options_.repetition_penalty);
  decode.no_repeat_ngram_size = options_.no_repeat_ngram_size;
  // Windows differ in their random numbers; the same file gives the same text.
  decode.seed = options_.seed + state.seek;
  return decode;
}

std::vector<TokenId> Transcriber::prompt(const FileState& state) const {
  const std::size_t n_initial = state.initial_prompt.size();
  if (!options_.carry_initial_prompt || n_initial == 0) {
    const auto tokens = from(state.all_tokens, state.prompt_reset_since);
    return {tokens.begin(), tokens.end()};
  }
  const auto said = from(state.all_tokens, std::max(n_initial, state.prompt_reset_since));
  const std::size_t half = recognizer_.dims().n_text_ctx / 2 - 1;
  const std::size_t room = half - std::min(half, n_initial);
  const auto recent = said.last(std::min(room, said.size()));
  std::vector<TokenId> tokens = state.initial_prompt;
  tokens.insert(tokens.end(), recent.begin(), recent.end());
  return tokens;
}

}  // namespace wnpu::app
