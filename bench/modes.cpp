#include "bench/modes.h"

#include <array>

namespace wnpu::bench {

std::span<const Mode> modes() {
  static const std::array<Mode, 4> kModes{{
      {"--rtf", "", "Time of every stage, real-time factor, memory, word errors; the default",
       measure_rtf},
      {"--baseline", "", "What --check compares with: with --json, its file", measure_baseline},
      {"--check", "BASELINE.json",
       "Fails (exit code 1) where a kernel or a stage is slower than in the baseline, relative to "
       "fixed work",
       measure_check},
      {"--against", "PEER,...",
       "The same files and weights by faster-whisper, faster-whisper-batched, whisper.cpp, "
       "openai-whisper, in turn with transcribe",
       measure_against},
  }};
  return kModes;
}

}  // namespace wnpu::bench
