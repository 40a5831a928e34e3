// Transcripts and segments as structs of the C interface.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.h"
#include "app/engine/whisper_npu.hpp"

namespace wnpu::c {

// A segment, with C's struct that points into it.
class CSegment {
 public:
  explicit CSegment(const Segment& segment);
  CSegment(const CSegment&) = delete;
  CSegment& operator=(const CSegment&) = delete;

  const whisper_npu_segment* get() const { return &c_; }

 private:
  Segment segment_;
  std::vector<whisper_npu_word> words_;
  std::vector<const whisper_npu_word*> word_pointers_;
  whisper_npu_segment c_{};
};

}  // namespace wnpu::c

struct whisper_npu_transcript {  // NOLINT(readability-identifier-naming): C
  explicit whisper_npu_transcript(wnpu::Transcript&& heard);

  wnpu::Transcript transcript;
  std::string text;
  std::deque<wnpu::c::CSegment> segments;
};
