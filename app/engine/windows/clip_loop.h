// The window loop: clips of a file -> log-mel windows -> tokens -> segments. It stands here once,
// for all devices and modes: one clip after the other as openai/whisper transcribe.py does it, or
// several independent clips together (batch_size above 1).
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "app/engine/recognizer.h"
#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clip_mel.h"
#include "app/engine/windows/clips.h"
#include "app/engine/windows/window_options.h"
#include "audio/mel/mel_source.h"
#include "decoder/text/segments.h"

namespace wnpu::app {

class ClipLoop {
 public:
  // All arguments must outlive the loop. Segments and the times of encoding and decoding go to
  // `transcript`, whose language must be set.
  ClipLoop(Recognizer& recognizer, const TranscribeOptions& options, audio::MelSource& mel,
           Transcript& transcript, const Callbacks& callbacks);

  // Throws models::Stopped; the segments of finished windows are in the transcript then.
  void run(std::span<const Clip> clips);

 private:
  // A clip at work.
  struct OpenClip {
    std::size_t seek = 0;  // frame at which the next window begins
    std::size_t end = 0;
    std::size_t slot = 0;  // of the recognizer, while the window is decoded
    Context context;
    std::vector<decoder::Segment> segments;  // found, but not handed out yet
    decoder::Window window;                  // the next to decode
    ClipMel mel;
    models::EncoderStates states;  // of window; none where it was encoded into its slot
    bool is_encoded = false;       // window is

    bool is_done() const { return seek >= end; }
  };
  using Batch = std::vector<OpenClip*>;  // windows that are worked on together, one a clip

  void open(const Clip& clip);
  // The first clips whose window is encoded, or is not: no more than are decoded together.
  Batch next_batch(bool is_encoded);
  bool overlaps() const;
  void run_round();
  const models::LogMel& next_window(OpenClip& clip);
  // Into slots 0, 1, ...
  void encode_into_slots(const Batch& batch);
  // Into the clips, beside others that are decoded, which have the slots.
  void encode_into_clips(const Batch& batch);
  void decode(const Batch& batch);
  DecodeJob job(const OpenClip& clip, double temperature) const;
  void finish_window(OpenClip& clip, const decoder::Decoded& decoded);
  // Segments go out in the order of the clips: those of the first clip at once.
  void hand_out();

  Recognizer& recognizer_;
  const TranscribeOptions& options_;
  audio::MelSource& mel_;
  Transcript& transcript_;
  const Callbacks& callbacks_;
  WindowOptions window_options_;
  bool is_batched_;
  Context carried_;             // from clip to clip, unless batched
  std::deque<OpenClip> clips_;  // in order: at work, or not handed out yet
};

}  // namespace wnpu::app
