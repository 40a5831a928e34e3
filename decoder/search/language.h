// Which language a window speaks (openai/whisper decoding.py detect_language).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "decoder/model/decoder.h"
#include "models/text/vocabulary.h"

namespace wnpu::decoder {

// Every language of the model with its probability, most probable first. The model must be
// multilingual. Uses sequence 0 of `cache`.
std::vector<std::pair<std::string, double>> language_probabilities(
    Decoder& decoder, KvCache& cache, const models::Vocabulary& vocabulary, const CrossKv& window);

}  // namespace wnpu::decoder
