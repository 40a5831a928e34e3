// The thread that waits for samples: of stdin, or of a microphone.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/stream/sample_queue.h"
#include "audio/read/pcm_reader.h"

namespace wnpu::app {

class SampleReader {
 public:
  // Asks `open` for what is to be read; it and the reading wait no longer than a tenth of a second
  // where the function that it is given says so.
  using ShouldStop = std::function<bool()>;
  using OpenFn = std::function<std::unique_ptr<audio::PcmReader>(const ShouldStop&)>;

  // `queue` must outlive it, and is ended where the samples do, with the error if there is one.
  // `is_stopped`: there is nothing more to be heard.
  SampleReader(SampleQueue& queue, OpenFn open, ShouldStop is_stopped);
  ~SampleReader();
  SampleReader(const SampleReader&) = delete;
  SampleReader& operator=(const SampleReader&) = delete;

  // Waits for its end; what was odd.
  std::vector<std::string> finish();

 private:
  void read();
  void pass_on(audio::PcmReader& reader);

  SampleQueue& queue_;
  OpenFn open_;
  ShouldStop is_stopped_;
  std::atomic<bool> is_over_{false};
  std::vector<std::string> warnings_;
  std::thread thread_;
};

// Bytes of a descriptor, as they come; 0 at its end, audio::kStopped where `should_stop`. Throws
// AudioError.
std::size_t read_some(int descriptor, std::span<std::byte> out,
                      const SampleReader::ShouldStop& should_stop);

}  // namespace wnpu::app
