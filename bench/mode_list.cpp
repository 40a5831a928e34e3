#include <array>

#include "bench/core/modes.h"

namespace wnpu::bench {

std::span<const Mode> modes() {
  static const auto kModes = std::to_array<Mode>({
      {"--rtf", "", "Time of every stage, real-time factor, memory, word errors; the default",
       measure_rtf},
      {"--advise", "",
       "What to take on this machine: precisions, beams, batches and threads with their speed, "
       "word "
       "errors and memory, the best marked",
       measure_advice},
      {"--baseline", "", "What --check compares with: with --json, its file", measure_baseline},
      {"--check", "BASELINE.json",
       "Fails (exit code 1) where a kernel or a stage is slower than in the baseline, relative to "
       "fixed work",
       measure_check},
      {"--against", "PEER,...",
       "The same files and weights by faster-whisper, faster-whisper-batched, whisper.cpp, "
       "openai-whisper, in turn with transcribe",
       measure_against},
      {"--plans", "", "Every way to run the encoder's layers, beside what was published",
       measure_plans},
      {"--kernels", "", "Each kernel alone, on the CPU and on the simulated array",
       measure_kernels},
      {"--report", "FILE.html", "One page of charts: --rtf, --plans, --kernels and one window",
       write_report},
      {"--trace", "FILE.json", "One window for Perfetto or chrome://tracing", write_trace},
  });
  return kModes;
}

}  // namespace wnpu::bench
