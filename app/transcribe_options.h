// How a file is transcribed: openai/whisper's options with its names and defaults (transcribe.py
// cli() and decoding.py DecodingOptions). An empty optional is openai's None.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decoder/decode_options.h"
#include "decoder/word_timestamps.h"
#include "models/stages.h"

namespace wnpu::app {

struct TranscribeOptions {
  decoder::Task task = decoder::Task::transcribe;
  // Code of the language spoken ("en"); empty: detected from the first window.
  std::string language;

  // Beams of the search at temperature 0; 1 is greedy.
  std::size_t beam_size = 5;
  // Candidates drawn at temperatures above 0.
  std::size_t best_of = 5;
  // The search ends when round(beam_size * patience) candidates are finished.
  double patience = 1.0;
  // Exponent alpha of Google's length penalty; None: average log-probability.
  std::optional<double> length_penalty;
  // Above 1: tokens that came already become less likely (faster-whisper).
  double repetition_penalty = 1.0;
  // No sequence of this many tokens twice; 0: off (faster-whisper).
  std::size_t no_repeat_ngram_size = 0;
  // Starts the random numbers of sampling.
  std::uint64_t seed = 0;

  // The first temperature; with an increment, a window that fails the two tests below is decoded
  // again at temperature + increment, and so on up to 1.
  double temperature = 0;
  std::optional<double> temperature_increment_on_fallback = 0.2;
  // Failed where the zlib compression ratio of the text is above this.
  std::optional<double> compression_ratio_threshold = 2.4;
  // Failed where the average log-probability is below this.
  std::optional<double> logprob_threshold = -1.0;
  // Silence where the no-speech probability is above this and the log-probability test failed.
  std::optional<double> no_speech_threshold = 0.6;

  // Tokens never produced; -1 stands for the vocabulary's non-speech tokens.
  std::vector<models::TokenId> suppress_tokens = {-1};
  // No blank and no end of text as the first token of a window.
  bool suppress_blank = true;
  // The first timestamp of a window is at most this, in seconds.
  std::optional<double> max_initial_timestamp = 1.0;
  // Text without timestamps: one segment a window.
  bool without_timestamps = false;
  // Tokens a window at most; 0: half of n_text_ctx.
  std::size_t sample_len = 0;

  // Text that is taken to have been said before the first window.
  std::string initial_prompt;
  // The initial prompt comes before the text of every window, not of the first alone.
  bool carry_initial_prompt = false;
  // The text of the window before is the prompt of the next one.
  bool condition_on_previous_text = true;
  // Start, end and probability of every word.
  bool word_timestamps = false;
  // Marks that are merged with the word after or before them.
  decoder::Punctuation punctuation;
  // With word timestamps: silence longer than this around a probable hallucination condemns it.
  std::optional<double> hallucination_silence_threshold;
  // Start and end seconds of the stretches to transcribe, in pairs; an open end is the file's.
  std::vector<double> clip_timestamps = {0};
};

}  // namespace wnpu::app
