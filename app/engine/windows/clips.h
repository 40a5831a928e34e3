// The clips of a file: what of it is transcribed.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// Frames of 10 ms, end not included. The clips of a channel come in order and do not overlap.
struct Clip {
  std::size_t start = 0;
  std::size_t end = 0;
  std::size_t channel = 0;
};

inline constexpr double kFramesPerSecond = 100;

inline double to_seconds(std::size_t frames) {
  return static_cast<double>(frames) / kFramesPerSecond;
}
// Halves to the even frame, as Python's round() in openai/whisper does.
inline std::size_t to_frame(double seconds) {
  return static_cast<std::size_t>(std::nearbyint(seconds * kFramesPerSecond));
}

// TranscribeOptions::clip_timestamps, of a file of n_frames.
std::vector<Clip> clips_between(std::span<const double> timestamps, std::size_t n_frames);

// Clips of speech from a voice activity detector's probabilities for a file of n_frames, joined to
// fill windows, and padded.
std::vector<Clip> clips_of_speech(std::span<const float> probabilities, std::size_t n_frames,
                                  const TranscribeOptions& options);

// Warns of clip_timestamps beyond the audio's end.
void warn_of_clips_beyond(double duration_s, const TranscribeOptions& options,
                          std::vector<std::string>& warnings);

}  // namespace wnpu::app
