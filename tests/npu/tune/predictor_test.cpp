// The predictors against the simulator, and against what others have published.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/predict/fitted.h"
#include "npu/predict/published.h"
#include "npu/predict/random_tuning.h"
#include "npu/sim/compile_call.h"

using namespace wnpu::npu;  // NOLINT

namespace {

struct Case {
  Design design;
  TimePreset preset;
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
    Case found{layer_design(tuned_layer(npu1(), shape, precision, tuning), call),
               find_preset(preset)};
    CAPTURE(text_of(tuning));
    try {
      found.cycles = time_call(found.design, found.preset).report.cycles;
      return found;
    } catch (const std::exception&) {
      continue;  // does not fit
    }
  }
}

}  // namespace

TEST_CASE("predictors: the analytical bound is never above the simulated time") {
  std::mt19937 random(7);
  double sum = 0;
  constexpr std::size_t kCases = 250;
  for (std::size_t i = 0; i < kCases; ++i) {
    const Case c = random_case(random);
    CAPTURE(c.design.name);
    CAPTURE(c.preset.name);
    const CallParts parts = call_parts(c.design, c.preset);
    CHECK(parts.bound() <= c.cycles);
    CHECK(array_parts(c.design, c.preset).bound() <= parts.bound());
    sum += parts.bound() / c.cycles;
  }
  MESSAGE("the bound is ", 100 * sum / kCases, " % of the simulated time on average");
  CHECK(sum / kCases > 0.7);
}

TEST_CASE("predictors: what the bound counts is what the call's program and moves are") {
  const Design design = layer_design(layer_geometry(npu1(), {1500, 512, 8, 2048}, Precision::bf16));
  const TimePreset preset = find_preset(kDefaultPreset);
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

TEST_CASE("predictors: errors on calls that nothing was fitted to") {
  std::mt19937 random(2026);  // sample_calls has another seed
  constexpr std::size_t kCases = 80;
  std::vector<double> errors(predictors().size());
  for (std::size_t i = 0; i < kCases; ++i) {
    const Case c = random_case(random);
    const CallParts parts = call_parts(c.design, c.preset);
    for (std::size_t p = 0; p < errors.size(); ++p) {
      errors[p] += std::abs(predictors()[p].call_cycles(c.design, parts) / c.cycles - 1) / kCases;
    }
  }
  for (std::size_t p = 0; p < errors.size(); ++p) {
    MESSAGE(predictors()[p].name, ": mean error ", 100 * errors[p], " %");
  }
  CHECK(errors[0] < 0.30);
  CHECK(errors[1] < 0.40);
  CHECK(errors[2] < 0.12);
}

TEST_CASE("predictors: against published figures that were not used to fit") {
  for (const PublishedFigure& figure : published_figures()) {
    MESSAGE(figure.name, ", published ", figure.published_ms, " ms: simulator ",
            100 * (figure.simulated_ms / figure.published_ms - 1), " %");
    for (std::size_t p = 0; p < figure.predicted_ms.size(); ++p) {
      const double error = figure.predicted_ms[p] / figure.published_ms - 1;
      MESSAGE("  ", predictors()[p].name, " ", 100 * error, " %");
      CHECK(std::abs(error) < 0.4);
    }
    CHECK(figure.predicted_ms[0] <= figure.simulated_ms);
  }
}

TEST_CASE("predictors: stalls are by length, and no phase is faster than its tasks") {
  for (std::size_t kind = 0; kind < kPhaseKinds; ++kind) {
    const auto points = stall_points(static_cast<PhaseKind>(kind));
    REQUIRE(!points.empty());
    CHECK(std::ranges::is_sorted(points, {}, &StallPoint::busy));
    for (const StallPoint& point : points) CHECK(point.factor >= 1);
  }
}
