// When each word of a window was said: cross-attention of the alignment heads, warped in time.
// Reference: openai/whisper timing.py find_alignment.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoder/model/decoder.h"
#include "models/files/model_file.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

// A word of the window's text; seconds from the window's start.
struct WordTiming {
  std::string word;  // with its leading space; empty once merged into a neighbour
  std::vector<models::TokenId> tokens;
  std::size_t segment = 0;  // of the window
  double start = 0;         // start <= end <= the audio's end
  double end = 0;
  double probability = 0;
};

// The input of find_alignment().
struct AlignmentTask {
  std::span<const std::vector<models::TokenId>> texts;  // of each segment, text tokens alone
  std::size_t n_frames = 0;                             // mel frames of audio in the window
  std::string_view language;                            // of the text, a code: some have no spaces
  const CrossKv* window = nullptr;
  std::span<const models::TokenId> sot_sequence;
  bool wants_probabilities = true;  // else they are 0, and it takes less time
};

// (layer, head) pairs to use: the model's own, or all heads of the upper half of the layers
// (openai/whisper model.py).
std::vector<std::pair<int, int>> alignment_heads(const models::Dims& dims,
                                                 const models::ModelConfig& config);

// Text tokens of a window that can be aligned; n_sot: of its sot sequence.
std::size_t longest_alignment(const models::Dims& dims, std::size_t n_sot);

// Words in order, which together are the texts; empty for none. Throws std::length_error for more
// than longest_alignment tokens.
std::vector<WordTiming> find_alignment(Decoder& decoder, KvCache& cache,
                                       const models::Vocabulary& vocabulary,
                                       std::span<const std::pair<int, int>> heads,
                                       const AlignmentTask& task);

}  // namespace wnpu::decoder
