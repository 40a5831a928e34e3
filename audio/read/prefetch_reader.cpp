#include "audio/read/prefetch_reader.h"

#include <utility>

#include "audio/read/pcm_reader.h"

namespace wnpu::audio {
namespace {

// A thread for less would cost more than it takes from the reader.
constexpr std::size_t kSamplesTogether = std::size_t{4} * kSampleRate;

}  // namespace

PrefetchReader::PrefetchReader(Take take, bool beside) : take_(std::move(take)), beside_(beside) {}

PrefetchReader::~PrefetchReader() {
  if (task_.valid()) task_.wait();
}

void PrefetchReader::wait() {
  if (task_.valid()) task_.get();
}

void PrefetchReader::push(std::span<const float> samples) {
  if (!beside_) {
    take_(samples);
    return;
  }
  waiting_.insert(waiting_.end(), samples.begin(), samples.end());
  if (waiting_.size() >= kSamplesTogether) hand_over();
}

void PrefetchReader::hand_over() {
  wait();
  std::swap(waiting_, at_work_);
  waiting_.clear();
  // Deferred, which is to say done in wait(), where the system gives no thread.
  task_ = std::async(std::launch::async | std::launch::deferred, [this] { take_(at_work_); });
}

void PrefetchReader::finish() {
  wait();
  if (!waiting_.empty()) take_(std::exchange(waiting_, {}));
}

}  // namespace wnpu::audio
