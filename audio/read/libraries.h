// Libraries of others that not every file needs: loaded when the first comes that does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wnpu::audio {

struct OptionalLibrary {
  std::string_view name;
  std::string_view needed_for;
  std::string problem;  // why it cannot be used, with Debian's package; empty: it can
};

// Loads each of them.
std::vector<OptionalLibrary> optional_libraries();

}  // namespace wnpu::audio
