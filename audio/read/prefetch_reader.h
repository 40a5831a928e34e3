// Consumer of samples, at work in another thread beside whoever reads them.
#pragma once

#include <functional>
#include <future>
#include <span>
#include <vector>

namespace wnpu::audio {

class PrefetchReader {
 public:
  using Take = std::function<void(std::span<const float>)>;

  // `take` gets all samples in order, some seconds at once, in another thread; where not `beside`,
  // or where the system gives no thread, in the caller's and as they come.
  PrefetchReader(Take take, bool beside);
  // Waits for `take`; what it has not got yet is dropped.
  ~PrefetchReader();
  PrefetchReader(PrefetchReader&&) = delete;
  PrefetchReader& operator=(PrefetchReader&&) = delete;

  // Waits where `take` is some seconds of audio behind. Throws what `take` threw.
  void push(std::span<const float> samples);
  // `take` has had everything then. Throws what it threw.
  void finish();

 private:
  void wait();
  void hand_over();

  Take take_;
  bool beside_;
  std::vector<float> waiting_;
  std::vector<float> at_work_;
  std::future<void> task_;
};

}  // namespace wnpu::audio
