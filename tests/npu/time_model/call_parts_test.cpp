// The bound against the simulator.
#include "npu/time_model/call_parts.h"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/sim/compile_call.h"
#include "tests/npu/plans/random_tuning.h"

using namespace wnpu::npu;  // NOLINT

namespace {

struct Case {
  Design design;
  HardwareModel preset;
  double cycles = 0;  // simulated
};

// A call of any shape, precision, tuning, clock and kernel table that the simulator can run.
Case random_case(std::mt19937& random) {
  while (true) {
    const std::size_t heads = 1 + random() % 8;
    const LayerShape shape{1 + random() % 1536, 64 * heads, heads, 64 * (1 + random() % 20)};
    const bool is_int8 = random() % 3 == 0 && heads % 2 == 0;
    const Precision precision = is_int8 ? Precision::int8 : Precision::bf16;
    const LayerTuning tuning = random_tuning(random, shape, precision);
    const std::size_t first = random() % kLayerOps;
    const std::size_t last = first + random() % (kLayerOps - first);
    LayerCall call;
    if (random() % 2 == 0) call = {static_cast<LayerOp>(first), static_cast<LayerOp>(last)};
    const auto clocks = clock_preset_names();
    const auto tables = kernel_tables();
    const std::string preset = std::string(clocks[random() % clocks.size()]) + "/" +
                               std::string(tables[random() % tables.size()].name);
    CAPTURE(text_of(tuning));
    try {
      const HardwareModel model = find_preset(preset);
      Case found{layer_design(tuned_layer(*model.target, shape, precision, tuning), call), model};
      found.cycles = time_call(found.design, found.preset).report.cycles;
      return found;
    } catch (const std::exception&) {
      continue;  // does not fit
    }
  }
}

}  // namespace

TEST_CASE("call parts: the bound is never above the simulated time") {
  std::mt19937 random(7);
  double sum = 0;
  constexpr std::size_t kCases = 250;
  for (std::size_t i = 0; i < kCases; ++i) {
    const Case c = random_case(random);
    CAPTURE(c.design.name);
    CAPTURE(c.preset.name);
    const CallParts parts = call_parts(c.design, c.preset);
    CHECK(parts.bound() <= c.cycles);
    sum += parts.bound() / c.cycles;
  }
  MESSAGE("the bound is ", 100 * sum / kCases, " % of the simulated time on average");
  CHECK(sum / kCases > 0.7);
}

TEST_CASE("call parts: what the bound counts is what the call's program and moves are") {
  const Design design = layer_design(layer_geometry(npu1(), {1500, 512, 8, 2048}, Precision::bf16));
  const HardwareModel preset = find_preset(kDefaultPreset);
  const TimedCall timed = time_call(design, preset);
  const CallParts parts = call_parts(design, preset);
  CHECK(parts.n_tasks == static_cast<double>(timed.program.n_tasks));
  CHECK(parts.ddr_bytes == timed.report.ddr_read_bytes + timed.report.ddr_write_bytes);
  double busy = 0;
  for (const CoreCycles& core : timed.report.cores) busy = std::max(busy, core.busy);
  CHECK(parts.busy == doctest::Approx(busy));
  CHECK(parts.n_barriers == 4 * 6 + 2);
  // Barriers of each of six row blocks: norm1 to qkv, out to norm2, norm2 to up and up to down;
  // once qkv to attention and attention to out.
}
