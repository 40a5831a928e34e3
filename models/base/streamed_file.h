// A file that is written piece by piece, for what is too large to be held in memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace wnpu::models {

using Sink = std::function<void(std::string_view)>;

struct StreamedFile {
  std::string name;
  std::function<void(const Sink&)> write;  // all of it, once
  bool is_executable = false;
};

}  // namespace wnpu::models
