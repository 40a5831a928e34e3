// Work that was given up because it was asked to stop.
#pragma once

#include <exception>

namespace wnpu::models {

struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped"; }
};

}  // namespace wnpu::models
