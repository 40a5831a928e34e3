// A segment of the decoder's, as the engine's caller has it.
#pragma once

#include <utility>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "decoder/text/segment.h"

namespace wnpu::app {

inline Segment public_segment(decoder::Segment&& segment) {
  std::vector<Word> words;
  for (decoder::Word& word : segment.words)
    words.push_back({std::move(word.text), word.start, word.end, word.probability});
  return {.id = segment.id,
          .seek = segment.seek,
          .start = segment.start,
          .end = segment.end,
          .text = std::move(segment.text),
          .tokens = std::move(segment.tokens),
          .temperature = segment.temperature,
          .avg_logprob = segment.avg_logprob,
          .compression_ratio = segment.compression_ratio,
          .no_speech_prob = segment.no_speech_prob,
          .words = std::move(words),
          .language = std::move(segment.language)};
}

}  // namespace wnpu::app
