// A session's voice activity detector.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/engine/whisper_npu.hpp"
#include "audio/vad/vad_thread.h"

namespace wnpu::app {

class SpeechDetector {
 public:
  // Detector that the options name, loaded at the first request; nullptr: they ask for none. It has
  // a thread of its own if n_threads is above 1. Throws ModelError.
  audio::VadThread* load(const VadOptions& options, std::size_t n_threads);

 private:
  std::unique_ptr<audio::VadThread> vad_;
  std::string weights_;  // of vad_
};

}  // namespace wnpu::app
