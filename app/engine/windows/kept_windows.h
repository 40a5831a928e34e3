// Windows of a recording that were heard, with their encoder states: for work that comes after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "models/base/stages.h"

namespace wnpu::app {

class KeptWindows {
 public:
  struct Window {
    std::size_t size = 0;  // frames of audio in it
    std::size_t rows = 0;  // of the states; 0: there was no room for them
    models::PooledPadding pooled = {};
    std::vector<std::uint16_t> states;  // fp16
  };

  // Keeps states of at most n_bytes, of the windows that come first.
  explicit KeptWindows(std::size_t n_bytes) : room_(n_bytes) {}

  // The window at frame `seek`.
  void keep(std::size_t seek, std::size_t size, const models::EncoderStates& states);
  // Takes out the states of the window at `seek`; false: there are none.
  bool take(std::size_t seek, models::EncoderStates& states);
  // By the frame at which they begin.
  const std::map<std::size_t, Window>& windows() const { return windows_; }

 private:
  void drop_states(Window& window);

  std::size_t room_;  // bytes
  std::map<std::size_t, Window> windows_;
};

}  // namespace wnpu::app
