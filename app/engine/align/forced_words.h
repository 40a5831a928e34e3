// Times of a given text's words: forced through the decoder, window by window.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/align/align_plan.h"
#include "app/engine/align/word_edges.h"
#include "app/engine/windows/kept_windows.h"
#include "app/engine/windows/recognizer.h"
#include "audio/mel/mel_source.h"
#include "decoder/search/decode_options.h"
#include "decoder/text/word_timestamps.h"

namespace wnpu::app {

// When a given word was said.
struct WordTime {
  double start = 0;  // seconds of the file
  double end = 0;
  double probability = 0;
  bool is_spoken = false;
};

class ForcedWords {
 public:
  // All must outlive it. `decode`: the language of the text. `kept`: windows in which `heard` were
  // heard.
  ForcedWords(Recognizer& recognizer, audio::MelSource& mel, const decoder::DecodeOptions& decode,
              const decoder::Punctuation& marks, std::span<const GivenWord> given,
              std::span<const HeardWord> heard, std::vector<Part> parts, KeptWindows& kept,
              Timing& timing);

  bool is_done() const { return next_ == parts_.size(); }
  // One window. Throws AudioError, DeviceError, models::Stopped.
  void turn();
  // Given words whose times are final.
  std::size_t n_done() const;
  double done_s() const { return is_done() ? mel_.duration_s() : parts_[next_].start; }
  const std::vector<WordTime>& times() const { return times_; }
  // All parts; of those that are done it is known what was said.
  const std::vector<Part>& parts() const { return parts_; }

 private:
  // A piece of a forced text, and the given word it is of.
  struct Piece {
    decoder::WordTiming timing;
    std::size_t word;
  };

  void encode(const PartWindow& window);
  std::vector<Piece> force(const PartWindow& window);
  bool drop_unspoken(const PartWindow& window, std::span<const Piece> pieces);
  bool is_misheard(const Part& part) const;
  bool is_too_fast(const Part& part, std::span<const Piece> pieces) const;
  void place(const PartWindow& window, std::span<const Piece> pieces);
  void put_times(const PartWindow& window, std::span<const decoder::WordTiming> pieces,
                 std::span<const std::size_t> numbers, std::span<const decoder::Segment> segments);
  void close(std::size_t first, std::size_t end);

  Recognizer& recognizer_;
  audio::MelSource& mel_;
  const decoder::DecodeOptions& decode_;
  const decoder::Punctuation& marks_;
  std::span<const GivenWord> given_;
  std::span<const HeardWord> heard_;
  std::vector<Part> parts_;
  KeptWindows& kept_;
  std::vector<HeardStretch> heard_windows_;
  Timing& timing_;
  std::size_t most_tokens_;
  std::size_t next_ = 0;  // part
  std::size_t n_frames_ = 0;
  double last_speech_ = 0;
  std::vector<WordTime> times_;
  models::LogMel window_;
  Sound sound_;  // of window_
  models::EncoderStates states_;
};

}  // namespace wnpu::app
