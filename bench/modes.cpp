#include "bench/modes.h"

#include <array>

namespace wnpu::bench {

std::span<const Mode> modes() {
  static const std::array<Mode, 1> kModes{{
      {"--rtf", "", "Time of every stage, real-time factor, memory, word errors; the default",
       measure_rtf},
  }};
  return kModes;
}

}  // namespace wnpu::bench
