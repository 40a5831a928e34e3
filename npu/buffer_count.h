// Bytes of a device's buffers, counted where a buffer is made and where it is given back.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "npu/device.h"

namespace wnpu::npu {

// Buffers may be given back by another thread than the one that asks.
class BufferCount {
 public:
  void add(std::size_t bytes) {
    const std::size_t now = now_.fetch_add(bytes) + bytes;
    std::size_t peak = peak_.load();
    while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
    }
  }
  void remove(std::size_t bytes) { now_.fetch_sub(bytes); }
  std::size_t now() const { return now_.load(); }
  std::size_t peak() const { return peak_.load(); }  // since the start, or since forget_peak()
  void forget_peak() { peak_.store(now_.load()); }

 private:
  std::atomic<std::size_t> now_{0};
  std::atomic<std::size_t> peak_{0};
};

// Device statistics with the current and peak bytes of its buffers filled in.
inline RunStats stats_with_buffers(RunStats stats, const BufferCount& count) {
  stats.buffer_bytes = count.now();
  stats.peak_buffer_bytes = count.peak();
  return stats;
}

// RAII: adds the size of one buffer to a BufferCount and subtracts it in the destructor.
class CountedBytes {
 public:
  CountedBytes(std::shared_ptr<BufferCount> count, std::size_t bytes)
      : count_(std::move(count)), bytes_(bytes) {
    count_->add(bytes_);
  }
  ~CountedBytes() { count_->remove(bytes_); }
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;

 private:
  std::shared_ptr<BufferCount> count_;
  std::size_t bytes_;
};

}  // namespace wnpu::npu
