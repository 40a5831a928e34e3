#include "audio/vad/vad_thread.h"

namespace wnpu::audio {

void VadThread::start() {
  stream_.reset();
  vad_.finish();
  stream_.emplace([this](std::span<const float> samples) { vad_.push(samples); }, beside_);
}

std::vector<float> VadThread::finish() {
  stream_->finish();
  return vad_.finish();
}

}  // namespace wnpu::audio
