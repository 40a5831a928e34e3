// Languages of a window with their probabilities (openai/whisper decoding.py detect_language).
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoder/model/decoder.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

struct HeardLanguages {
  std::vector<std::pair<std::string, double>> probabilities;  // of each code, likeliest first
  double no_speech_prob = 0;                                  // as decoding.py has it, 0 to 1
};

// The languages of a multilingual model.
HeardLanguages hear_languages(Decoder& decoder, KvCache& cache,
                              const models::Vocabulary& vocabulary, const CrossKv& window);

// Probability of no speech, by the logits behind sot [n_vocab].
double no_speech_prob(std::span<const float> at_sot, const models::Vocabulary& vocabulary);

}  // namespace wnpu::decoder
