// Runs of speech of one voice, stitched from windows that overlap, and their pieces. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "audio/speakers/segmentation_net.h"

namespace wnpu::audio {

// Frames of a recording in which one voice is heard without a pause.
struct SpeechPiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t track = 0;  // equal where windows that overlap heard the same speaker
};

class SpeechRuns {
 public:
  using Frames = SegmentationNet::Frames;
  // Frames from a window to the next: three quarters of a window.
  static constexpr std::size_t kStepFrames = SegmentationNet::kFrames * 3 / 4 + 1;
  // First frame that is taken from a window, but for the first one's.
  static constexpr std::size_t kMarginFrames = (SegmentationNet::kFrames - kStepFrames) / 2;
  // A run of kMostFrames gives a piece of kPieceFrames, 2 s: a voice may change in a run, and a
  // shorter piece is harder to tell. The rest is never too short for a voice.
  static constexpr std::size_t kPieceFrames = 119;
  static constexpr std::size_t kMostFrames = 146;

  // Next window of the recording: who of its local speakers talks.
  void add(const Frames& window);
  // Takes the rest of the last window.
  void finish();
  // Pieces that have ended since the last call.
  std::vector<SpeechPiece> take();
  // Local speakers that talk in each frame that was taken.
  const std::vector<std::uint8_t>& n_talking() const { return n_talking_; }

 private:
  static constexpr std::size_t kSpeakers = SegmentationNet::kSpeakers;
  struct Local {
    std::size_t track = 0;
    std::size_t begin = 0;  // of the open piece
    bool is_open = false;
  };

  // The local speakers of a window become those of the one before that talk when they do.
  void link(const Frames& window);
  void hear(const Frames& window, std::size_t from, std::size_t to);
  void hear(Local& local, bool talks);  // in the next frame
  void close(Local& local);

  Frames last_{};
  std::size_t n_windows_ = 0;
  std::size_t n_tracks_ = 0;
  std::array<Local, kSpeakers> locals_;
  std::vector<SpeechPiece> pieces_;
  std::vector<std::uint8_t> n_talking_;
};

}  // namespace wnpu::audio
