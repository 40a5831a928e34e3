// The window loop: clips of a file -> log-mel windows -> tokens -> segments. It stands here once,
// for all devices and modes: one clip after the other as openai/whisper transcribe.py does it, or
// several independent clips together (batch_size above 1).
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "app/engine/recognizer.h"
#include "app/engine/whisper_npu.hpp"
#include "audio/mel/mel_source.h"
#include "decoder/text/segments.h"

namespace wnpu::app {

// A stretch of the file, in frames of 10 ms.
struct FrameRange {
  std::size_t start = 0;
  std::size_t end = 0;
};

class ClipLoop {
 public:
  // All arguments must outlive the loop. Language, segments and the times of encoding and decoding
  // go to `transcript`, whose language must be set.
  ClipLoop(Recognizer& recognizer, const TranscribeOptions& options, audio::MelSource& mel,
           Transcript& transcript, const Callbacks& callbacks);

  // Decodes the ranges, which do not overlap and come in order. False: cancelled; the segments of
  // finished windows are in the transcript.
  bool run(const std::vector<FrameRange>& ranges);

 private:
  // What windows pass on to the next.
  struct Context {
    std::vector<models::TokenId> all_tokens;  // of every segment so far, the initial prompt first
    std::size_t prompt_reset_since = 0;       // tokens before this are no prompt any more
    double last_speech_timestamp = 0;         // seconds; with word timestamps
  };
  // A range at work.
  struct Clip {
    std::size_t seek = 0;  // frame at which the next window begins
    std::size_t end = 0;
    std::size_t slot = 0;  // of the recognizer, while the window is decoded
    Context context;
    std::vector<decoder::Segment> segments;  // found, but not handed out yet
    decoder::Window window;                  // the next to decode
    models::LogMel mel;                      // the frames from mel_start on, 0 beyond the clip
    std::optional<std::size_t> mel_start;
    models::EncoderStates states;  // of window; none where it was encoded into its slot
    bool is_encoded = false;       // window is

    bool is_done() const { return seek >= end; }
  };

  void start(const FrameRange& range);
  bool overlaps() const;
  bool run_round();
  // The first clips in work whose window is encoded, or is not: no more than are decoded together.
  std::vector<Clip*> next_batch(bool is_encoded);
  void load_window(Clip& clip);
  // Into slots 0, 1, ...
  bool encode(const std::vector<Clip*>& clips);
  // Beside clips that are decoded, which have the slots.
  bool encode_beside(const std::vector<Clip*>& clips);
  bool decode(const std::vector<Clip*>& clips);
  void load_mel(Clip& clip);
  std::optional<std::vector<decoder::Decoded>> decode_with_fallback(
      const std::vector<Clip*>& clips);
  decoder::DecodeOptions decode_options(const Clip& clip, double temperature) const;
  void limit_to_alignment(decoder::DecodeOptions& decode) const;
  bool forces_speech() const;                               // chunks are heard to their end
  std::optional<float> speech_end(const Clip& clip) const;  // of its window, in seconds
  std::size_t shortest_rest() const;                        // frames that a window may leave over
  std::vector<models::TokenId> prompt(const Clip& clip) const;
  void finish_window(Clip& clip, const decoder::Decoded& decoded);
  void fit_into_clip(Clip& clip, decoder::SplitWindow& split);
  void add_words(Clip& clip, decoder::SplitWindow& split);
  // Segments go out in the order of the clips: those of the first clip at once.
  void hand_out();

  Recognizer& recognizer_;
  const TranscribeOptions& options_;
  audio::MelSource& mel_;
  Transcript& transcript_;
  const Callbacks& callbacks_;
  std::size_t batch_size_;
  bool is_batched_;
  decoder::Thresholds thresholds_;
  std::vector<double> temperatures_;             // to try in turn
  std::vector<models::TokenId> initial_prompt_;  // tokens of the option
  std::vector<models::TokenId> hotwords_;        // likewise
  std::vector<models::TokenId> prefix_;          // likewise
  Context carried_;                              // from clip to clip, unless batched
  std::deque<Clip> clips_;                       // in order: in work, or not handed out yet
};

}  // namespace wnpu::app
