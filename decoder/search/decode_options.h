// How one window is decoded. Names and defaults are openai/whisper decoding.py DecodingOptions';
// what that lacks is named as in faster-whisper.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

enum class Task { transcribe, translate };
inline constexpr std::array<std::string_view, 2> kTaskNames{"transcribe", "translate"};

struct DecodeOptions {
  Task task = Task::transcribe;
  std::string language = "en";            // code; English-only models take no other
  float temperature = 0;                  // 0: greedy or beam search; above: sampling
  std::optional<std::size_t> best_of;     // independent samples at temperature > 0; none: 1
  std::optional<std::size_t> beam_size;   // beams at temperature 0; none: greedy
  double patience = 1;                    // beam search goes on to beam_size * patience candidates
  std::optional<float> length_penalty;    // "alpha" of Google NMT; none: divide by the length
  std::optional<std::size_t> sample_len;  // most tokens a window; none: n_text_ctx / 2
  std::vector<models::TokenId> prompt;    // text before this window
  std::vector<models::TokenId> prefix;    // what the window's text begins with
  std::vector<models::TokenId> suppress_tokens = {-1};  // -1: the non-speech tokens
  bool suppress_blank = true;
  bool without_timestamps = false;
  std::optional<float> max_initial_timestamp = 1.0F;  // seconds
  // Seconds of the window up to which there is speech: the text may not end at a timestamp before
  // that. None: the model decides.
  std::optional<float> speech_end;
  float repetition_penalty = 1;
  std::size_t no_repeat_ngram_size = 0;  // 0: off
  std::uint64_t seed = 0;                // of sampling; the same seed gives the same text
};

// Finished candidates that end a beam search: beams * patience, halves rounded to even as by
// Python's round() in openai/whisper; at least 1.
inline std::size_t max_candidates(const DecodeOptions& options) {
  const double wanted = static_cast<double>(options.beam_size.value_or(1)) * options.patience;
  return std::max(std::size_t{1}, static_cast<std::size_t>(std::nearbyint(wanted)));
}

// Options that are the same for every window of a file, taken from the file's
// (wnpu::TranscribeOptions of the engine, whose fields have these names).
template <typename FileOptions>
DecodeOptions decode_options_of(const FileOptions& file) {
  const auto to_float = [](double value) { return static_cast<float>(value); };
  DecodeOptions decode;
  decode.task = static_cast<Task>(file.task);
  decode.best_of = file.best_of;
  if (file.beam_size > 1) decode.beam_size = file.beam_size;
  decode.patience = file.patience;
  if (file.length_penalty) decode.length_penalty = to_float(*file.length_penalty);
  if (file.sample_len > 0) decode.sample_len = file.sample_len;
  decode.suppress_tokens = file.suppress_tokens;
  decode.suppress_blank = file.suppress_blank;
  decode.without_timestamps = file.without_timestamps;
  decode.max_initial_timestamp.reset();
  if (file.max_initial_timestamp)
    decode.max_initial_timestamp = to_float(*file.max_initial_timestamp);
  decode.repetition_penalty = to_float(file.repetition_penalty);
  decode.no_repeat_ngram_size = file.no_repeat_ngram_size;
  decode.seed = file.seed;
  return decode;
}

// Sequences that a task needs in the KvCache: beams, or samples.
std::size_t n_sequences(const DecodeOptions& options);

// The sequence that starts a transcript: sot, and on multilingual models language and task.
std::vector<models::TokenId> sot_sequence(const models::Vocabulary& vocabulary,
                                          const DecodeOptions& options);

// Tokens that a window's decoding begins with: sot_prev, prompt, the sequence above, prefix.
std::vector<models::TokenId> initial_tokens(const models::Dims& dims,
                                            const models::Vocabulary& vocabulary,
                                            const DecodeOptions& options);

// Result of decoding one window (decoding.py DecodingResult).
struct Decoded {
  std::vector<models::TokenId> tokens;  // since the prompt, timestamps included, without eot
  std::string text;                     // UTF-8, stripped
  double avg_logprob = 0;
  double no_speech_prob = 0;
  double temperature = 0;
  double compression_ratio = 0;  // bytes of text / bytes of its zlib stream
};

// len(utf-8) / len(zlib(utf-8)) (openai/whisper utils.py compression_ratio).
double compression_ratio(const std::string& text);

}  // namespace wnpu::decoder
