#include "audio/vad_thread.h"

#include <utility>

#include "audio/pcm_reader.h"

namespace wnpu::audio {
namespace {

constexpr std::size_t kSamplesTogether = std::size_t{8} * kSampleRate;

}  // namespace

VadThread::VadThread(const std::filesystem::path& weights, bool beside)
    : vad_(weights), policy_(beside ? std::launch::async : std::launch::deferred) {}

VadThread::~VadThread() {
  if (task_.valid()) task_.wait();
}

void VadThread::wait() {
  if (task_.valid()) task_.get();
}

void VadThread::start() {
  wait();
  waiting_.clear();
  vad_.finish();
}

void VadThread::push(std::span<const float> samples) {
  waiting_.insert(waiting_.end(), samples.begin(), samples.end());
  if (waiting_.size() >= kSamplesTogether) hand_over();
}

void VadThread::hand_over() {
  wait();
  std::swap(waiting_, at_work_);
  waiting_.clear();
  task_ = std::async(policy_, [this] { vad_.push(at_work_); });
}

std::vector<float> VadThread::finish() {
  hand_over();
  wait();
  return vad_.finish();
}

}  // namespace wnpu::audio
