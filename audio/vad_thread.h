// The speech detector at work beside whoever reads the audio.
#pragma once

#include <filesystem>
#include <future>
#include <span>
#include <vector>

#include "audio/silero_vad.h"

namespace wnpu::audio {

class VadThread {
 public:
  // Where not `beside`, it works in the caller's thread. Throws ModelError.
  VadThread(const std::filesystem::path& weights, bool beside);
  ~VadThread();
  VadThread(VadThread&&) = delete;
  VadThread& operator=(VadThread&&) = delete;

  // Begins a stream; what is left of another is dropped.
  void start();
  // Takes the next samples, any number. Waits where it is more than some seconds of audio behind.
  void push(std::span<const float> samples);
  // Ends the stream, as SileroVad does.
  std::vector<float> finish();

 private:
  void wait();
  void hand_over();

  SileroVad vad_;  // the task's while there is one
  std::launch policy_;
  std::vector<float> waiting_;
  std::vector<float> at_work_;
  std::future<void> task_;
};

}  // namespace wnpu::audio
