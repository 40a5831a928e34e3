// Samples on their way from the thread that waits for them to the one that recognises.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace wnpu::app {

class SampleQueue {
 public:
  // push() waits where there would be more than `most` samples.
  explicit SampleQueue(std::size_t most) : most_(most) {}

  // False: nobody wants samples any more.
  bool push(std::span<const std::int16_t> samples);
  // No more come; with an error, which check() throws.
  void end(std::exception_ptr error = nullptr);

  // Up to `n` samples, as soon as there are `n` or no more come: fewer, or none, are the last ones.
  // nullopt: the time is over.
  std::optional<std::vector<std::int16_t>> take(std::size_t n, std::chrono::milliseconds patience);
  // Throws the error that the samples ended with, if there is one. To be called behind the last of
  // them, once all that was heard is told.
  void check() const;
  // As many as are there, up to n.
  std::vector<std::int16_t> take_rest(std::size_t n);
  std::size_t size() const;
  // No more samples are wanted: whoever pushes is let go.
  void close();

 private:
  std::vector<std::int16_t> first(std::size_t n);

  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::int16_t> samples_;
  bool is_ended_ = false;
  bool is_closed_ = false;
  std::exception_ptr error_;
};

}  // namespace wnpu::app
