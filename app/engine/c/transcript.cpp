#include "app/engine/c/transcript.h"

#include <utility>

#include "models/base/utf8.h"

namespace wnpu::c {
namespace {

void replace_nul(std::string& text) {
  for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;) {
    text.replace(at, 1, models::kReplacement);
  }
}

}  // namespace

CSegment::CSegment(const Segment& segment) : segment_(segment) {
  replace_nul(segment_.text);
  for (Word& word : segment_.words) {
    replace_nul(word.text);
    words_.push_back(
        {word.text.c_str(), word.start, word.end, word.probability, word.speaker.c_str()});
  }
  for (const whisper_npu_word& word : words_) word_pointers_.push_back(&word);
  c_ = {.id = segment_.id,
        .seek = segment_.seek,
        .start = segment_.start,
        .end = segment_.end,
        .text = segment_.text.c_str(),
        .tokens = segment_.tokens.data(),
        .n_tokens = segment_.tokens.size(),
        .temperature = segment_.temperature,
        .avg_logprob = segment_.avg_logprob,
        .compression_ratio = segment_.compression_ratio,
        .no_speech_prob = segment_.no_speech_prob,
        .words = word_pointers_.data(),
        .n_words = word_pointers_.size(),
        .language = segment_.language.c_str(),
        .speaker = segment_.speaker.c_str()};
}

}  // namespace wnpu::c

whisper_npu_transcript::whisper_npu_transcript(wnpu::Transcript&& heard)
    : transcript(std::move(heard)) {
  for (const wnpu::Segment& segment : transcript.segments) {
    text += segments.emplace_back(segment).get()->text;
  }
  for (std::string& warning : transcript.warnings) warning = wnpu::models::repair_utf8(warning);
}
