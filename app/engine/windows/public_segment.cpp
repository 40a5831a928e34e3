#include "app/engine/windows/public_segment.h"

#include <utility>
#include <vector>

namespace wnpu::app {

Segment public_segment(decoder::Segment&& segment) {
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
          .words = std::move(words)};
}

}  // namespace wnpu::app
