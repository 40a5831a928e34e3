// Requests that are let in, and those that are told to come later.
#pragma once

#include <cstddef>
#include <memory>

#include "app/engine/whisper_npu_service.hpp"
#include "app/serve/serve_options.h"

namespace wnpu::serve {

// On the server's thread.
class Admission {
 public:
  explicit Admission(const Limits& limits) : limits_(limits) {}

  // Throws ApiError, 429 with Retry-After, where there is no place for another.
  void check(const ServiceLoad& load) const;
  // A place, until the last copy is gone; after check().
  std::shared_ptr<void> enter();
  std::size_t n_inside() const { return *n_inside_; }
  // How fast requests are done: seconds of audio of one that was transcribed in so many seconds.
  void note_speed(double audio_s, double seconds);

 private:
  [[noreturn]] void refuse(const std::string& why, double after_s) const;

  Limits limits_;
  std::shared_ptr<std::size_t> n_inside_ = std::make_shared<std::size_t>(0);
  double speed_ = 10;  // times real time, of the last requests
};

}  // namespace wnpu::serve
