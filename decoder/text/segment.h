// A piece of recognised speech, with the fields of openai/whisper's segment dictionaries. The
// public header has the same structs (app/engine/whisper_npu.hpp), since it includes nothing of
// ours.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/base/stages.h"

namespace wnpu::decoder {

struct Word {
  std::string text;  // UTF-8, with its leading space and merged punctuation
  double start = 0;  // seconds from the start of the audio
  double end = 0;
  double probability = 0;    // 0 to 1
  std::size_t n_tokens = 0;  // of its segment's
};

struct Segment {
  std::size_t id = 0;                   // running number in the file
  std::size_t seek = 0;                 // mel frame (10 ms) at which the segment's window began
  double start = 0;                     // seconds from the start of the audio
  double end = 0;                       // seconds
  std::string text;                     // UTF-8 with U+FFFD for broken characters
  std::vector<models::TokenId> tokens;  // with the timestamp tokens at both ends
  double temperature = 0;               // at which the window was decoded
  double avg_logprob = 0;               // mean natural log-probability of the window's tokens
  double compression_ratio = 0;         // bytes of the window's text / bytes of its zlib stream
  double no_speech_prob = 0;            // of the window, 0 to 1
  std::vector<Word> words;              // empty unless word timestamps were asked for
  std::string language = {};            // code, where windows have languages of their own
};

}  // namespace wnpu::decoder
