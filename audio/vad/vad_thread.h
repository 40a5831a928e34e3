// The speech detector at work beside whoever reads the audio.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "audio/read/prefetch_reader.h"
#include "audio/vad/silero_vad.h"

namespace wnpu::audio {

class VadThread {
 public:
  // Detector in a thread of its own if `beside`, else in the caller's. Throws ModelError.
  VadThread(const std::filesystem::path& weights, bool beside) : vad_(weights), beside_(beside) {}

  // Begins a stream; what is left of another is dropped.
  void start();
  // Takes the next samples, any number, as PrefetchReader does.
  void push(std::span<const float> samples) { stream_->push(samples); }
  // Ends the stream, as SileroVad does.
  std::vector<float> finish();

 private:
  SileroVad vad_;  // the stream's while there is one
  bool beside_;
  std::optional<PrefetchReader> stream_;
};

}  // namespace wnpu::audio
