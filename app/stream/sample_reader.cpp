#include "app/stream/sample_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "audio/read/error.h"
#include "audio/read/stream_decoder.h"

namespace wnpu::app {

SampleReader::SampleReader(SampleQueue& queue, OpenFn open, ShouldStop is_stopped)
    : queue_(queue),
      open_(std::move(open)),
      is_stopped_(std::move(is_stopped)),
      thread_([this] { read(); }) {}

SampleReader::~SampleReader() { finish(); }

std::vector<std::string> SampleReader::finish() {
  is_over_ = true;
  queue_.close();
  if (thread_.joinable()) thread_.join();
  return std::exchange(warnings_, {});
}

void SampleReader::read() {
  const ShouldStop should_stop = [this] { return is_over_ || is_stopped_(); };
  try {
    const auto reader = open_(should_stop);
    pass_on(*reader);
    warnings_ = reader->warnings();
    queue_.end();
  } catch (...) {
    // A header that was not there yet is no error of whoever was asked to stop.
    queue_.end(should_stop() ? nullptr : std::current_exception());
  }
}

void SampleReader::pass_on(audio::PcmReader& reader) {
  std::array<float, 1600> samples;  // 0.1 s
  std::array<std::int16_t, samples.size()> steps;
  while (const std::size_t n = reader.read(samples)) {
    // They are whole steps of 2^-15.
    for (std::size_t i = 0; i < n; ++i) steps[i] = static_cast<std::int16_t>(samples[i] * 0x1p15F);
    if (!queue_.push(std::span(steps).first(n))) return;
  }
}

std::size_t read_some(int descriptor, std::span<std::byte> out,
                      const SampleReader::ShouldStop& should_stop) {
  constexpr int kPollMs = 100;
  pollfd wanted{descriptor, POLLIN, 0};
  while (!should_stop()) {
    if (::poll(&wanted, 1, kPollMs) == 0) continue;
    const ssize_t n = ::read(descriptor, out.data(), out.size());
    if (n > 0 || (n == 0 && !should_stop())) return static_cast<std::size_t>(n);
    if (n == 0) break;
    if (errno != EINTR && errno != EAGAIN)
      throw audio::AudioError(std::string("stdin: read: ") + std::strerror(errno));
  }
  return audio::kStopped;
}

}  // namespace wnpu::app
