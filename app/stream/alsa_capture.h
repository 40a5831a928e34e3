// A microphone, through ALSA's library, which is loaded when it is asked for: PulseAudio and
// PipeWire come through it too, as its devices "default" and "pulse".
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "audio/read/input.h"

namespace wnpu::app {

class AlsaCapture {
 public:
  // A name of ALSA's: "default", "hw:1". Throws LibraryError without libasound, Error(device)
  // where there is no such device or it gives no samples that can be used.
  explicit AlsaCapture(const std::string& name);
  ~AlsaCapture();
  AlsaCapture(AlsaCapture&&) noexcept;
  AlsaCapture& operator=(AlsaCapture&&) = delete;

  // 16 bits, the rate and the channels that the device has itself: converting is ours.
  const audio::RawFormat& format() const;
  // Waits for samples; 0 where `should_stop`, which is asked ten times a second. Throws
  // Error(device).
  std::size_t read(std::span<std::byte> out, const std::function<bool()>& should_stop);
  // How often the device had to drop sound because nobody read it.
  std::size_t n_gaps() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wnpu::app
