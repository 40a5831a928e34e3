// sample_calls N: the parts and the simulated cycles of N calls, with random shapes, tunings,
// kernel tables and clocks; for fit_predictors.py. Lines: "call", index, simulated cycles, start,
// features; then for each of its phases "phase", index, kind, cycles of its tasks, cycles it took.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "npu/design/layer_design.h"
#include "npu/predict/fitted.h"
#include "npu/predict/random_tuning.h"
#include "npu/sim/compile_call.h"

using namespace wnpu::npu;  // NOLINT

namespace {

struct Sample {
  TunedLayer layer;
  LayerCall call;
  TimePreset preset;
};

// Half are layers of Whisper's sizes, whole windows.
LayerShape random_shape(std::mt19937& random) {
  constexpr std::array<std::size_t, 5> kHeads{6, 8, 12, 16, 20};
  if (random() % 2 == 0) {
    const std::size_t heads = kHeads[random() % kHeads.size()];
    return {1500, kHeadWidth * heads, heads, 4 * kHeadWidth * heads};
  }
  const std::size_t heads = 1 + random() % 20;
  const std::size_t frames = 1 + random() % 1536;
  return {frames, kHeadWidth * heads, heads, 64 * (1 + random() % 40)};
}

Sample random_sample(std::mt19937& random) {
  const LayerShape shape = random_shape(random);
  const bool is_int8 = random() % 4 == 0 && shape.width % 128 == 0;
  const Precision precision = is_int8 ? Precision::int8 : Precision::bf16;
  const LayerTuning tuning = random_tuning(random, shape, precision);
  LayerCall call;
  if (random() % 2 == 0) {
    const std::size_t first = random() % kLayerOps;
    call = {static_cast<LayerOp>(first),
            static_cast<LayerOp>(first + random() % (kLayerOps - first))};
  }
  const auto clocks = clock_preset_names();
  const auto tables = kernel_tables();
  const std::string preset = std::string(clocks[random() % clocks.size()]) + "/" +
                             std::string(tables[random() % tables.size()].name);
  return {tuned_layer(npu1(), shape, precision, tuning), call, find_preset(preset)};
}

void print(std::size_t index, const Sample& sample) {
  const Design design = layer_design(sample.layer, sample.call);
  const SimReport report = time_call(design, sample.preset).report;
  const CallParts parts = call_parts(design, sample.preset);
  std::printf("call %zu %.0f %.0f", index, report.cycles, parts.start);
  for (const double feature : features_of(parts)) std::printf(" %.0f", feature);
  std::printf("\n");
  const auto cores = static_cast<double>(report.cores.size());
  for (std::size_t i = 0; i < report.phases.size(); ++i) {
    const CoreCycles& p = report.phases[i];
    const double cycles = (p.busy + p.waiting_a + p.waiting_b + p.waiting_c) / cores;
    std::printf("phase %zu %d %.0f %.0f\n", index, static_cast<int>(kind_of(design.phases[i])),
                parts.phase_busy[i], cycles);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000;
  std::mt19937 random(24);
  for (std::size_t i = 0; i < n;) {
    try {
      print(i, random_sample(random));
      ++i;
    } catch (const std::exception&) {
      continue;  // a tuning that does not fit
    }
  }
  return 0;
}
