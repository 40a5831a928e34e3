// The time model against what others have published, and against the project's own goals. Each test
// prints predicted (by the model), published (by the source named) and the error.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "npu/gemm_design.h"
#include "npu/layer_design.h"
#include "npu/plan_model.h"
#include "npu/simulator.h"
#include "tests/tolerances.h"
#include "tests/whisper_sizes.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

void check_against(const std::string& what, double predicted, double published, double margin) {
  const double error = predicted / published - 1;
  MESSAGE(what, ": predicted ", predicted, ", published ", published, ", error ", 100 * error,
          " %");
  CHECK(std::abs(error) <= margin);
}

// Tera-operations a second (2 a MAC), launch not included.
double modelled_tops(const GemmProblem& p, const TimePreset& preset) {
  const SimReport report = simulate(gemm_design(*preset.target, p), {&preset, {}, nullptr, false});
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.k) * static_cast<double>(p.n) /
         (report.ms * 1e9);
}

}  // namespace

TEST_CASE("time model: bf16 GEMM on Phoenix as published (arXiv 2512.13282 table 2)") {
  const TimePreset preset = find_preset("phoenix-1.0/tuned");
  check_against("bf16 4224x4032x4224, tiles 96x56x96, TFLOPS",
                modelled_tops({4224, 4032, 4224, 96, 56, 96, false}, preset), 3.12,
                tests::tolerance::kPublishedGemm);
}

TEST_CASE("time model: int8 GEMM on Phoenix as published (arXiv 2512.13282 table 2)") {
  // That kernel's results are int8; the layer's are int32, which the table's rate is for. Its
  // problem size is not in our sources; the nearest multiple of its blocks to the bf16 one is
  // taken.
  TimePreset preset = find_preset("phoenix-1.0/tuned");
  preset.kernels.int8_mac_per_cycle = 212.5;
  check_against("int8 4032x4032x4032, tiles 112x112x112, TOPS",
                modelled_tops({4032, 4032, 4032, 112, 112, 112, true}, preset), 6.52,
                tests::tolerance::kPublishedGemm);
}

TEST_CASE("time model: the open-source Whisper encoder on Hawk Point") {
  // drakosha/whisper-xdna: large-v3 encoder 3344 ms, 32 layers; scaled by FLOPs 20.8 ms a base
  // layer.
  const TimePreset preset = find_preset("hawk-1.6/open-source");
  const PlanCost base = model_plan(tests::kBase, 1500, Plan::fused, preset);
  check_against("base layer, ms", base.modelled_ms() / 6, 20.8,
                tests::tolerance::kPublishedEncoder);
  const PlanCost large = model_plan(tests::kLarge, 1500, Plan::fused, preset);
  MESSAGE("large-v3 layer itself, ms: predicted ", large.modelled_ms() / 32,
          ", published 104.5 (six overlays, Python between calls)");
}

TEST_CASE("time model: the row-by-row encoder of November 2025") {
  const double published[] = {1353, 13677, 68786};
  const std::size_t frames[] = {10, 100, 500};
  for (std::size_t i = 0; i < 3; ++i) {
    check_against("base, " + std::to_string(frames[i]) + " frames, ms",
                  model_seed_2025(tests::kBase, frames[i]).modelled_ms(), published[i],
                  tests::tolerance::kPublishedSeed);
  }
  MESSAGE("base, 1500 frames, ms: predicted ", model_seed_2025(tests::kBase, 1500).modelled_ms(),
          ", published 77843 (does not follow from the calls counted; not fitted)");
}

TEST_CASE("time model: base fused on phoenix-1.0/peano keeps the project's goals") {
  const PlanCost cost =
      model_plan(tests::kBase, 1500, Plan::fused, find_preset("phoenix-1.0/peano"));
  const double layer_ms = cost.modelled_ms() / 6;
  const double layer_mb = static_cast<double>(cost.ddr_bytes) / 6e6;
  const double speed = 30e3 / cost.modelled_ms();
  MESSAGE("base layer: modelled ", layer_ms, " ms, ", layer_mb, " MB of DDR, ", cost.launches,
          " launches a window, encoder ", speed, "x real time, cores busy ", 100 * cost.utilisation,
          " %");
  CHECK(layer_ms <= 13.0);
  CHECK(layer_mb <= 65.0);
  CHECK(cost.launches == 6);
  CHECK(speed >= 380.0);
}

TEST_CASE("time model: the fewer calls, the faster; per-op is launches alone") {
  const TimePreset preset = find_preset("phoenix-1.0/peano");
  const std::size_t frames[] = {1500};
  const auto costs = model_plans(tests::kBase, frames, preset);
  REQUIRE(costs.size() == 4);
  for (const PlanCost& cost : costs) {
    MESSAGE(plan_name(cost.plan), ": ", cost.launches, " launches, modelled ", cost.modelled_ms(),
            " ms a window");
  }
  CHECK(costs[0].launches == 6 * 1500 * (2 + 8 + 4));
  CHECK(costs[1].launches == 24);
  CHECK(costs[2].launches == 42);
  CHECK(costs[3].launches == 6);
  CHECK(costs[2].modelled_ms() > costs[3].modelled_ms());
  CHECK(costs[0].modelled_ms() > 50 * costs[3].modelled_ms());
}

TEST_CASE("time model: all Whisper sizes on both arrays, modelled ms a layer") {
  for (const std::string clock : {"phoenix-1.0", "hawk-1.6", "strix-1.8"}) {
    for (const auto& [name, shape] : tests::kWhisperSizes) {
      double ms[2];
      for (const Precision precision : {Precision::bf16, Precision::int8}) {
        const TimePreset preset = find_preset(clock + "/peano");
        const PlanCost cost = model_plan(shape, 1500, Plan::fused, preset, precision);
        ms[precision == Precision::int8 ? 1 : 0] =
            cost.modelled_ms() / static_cast<double>(shape.layers);
      }
      MESSAGE(clock, " ", name, ": bf16 ", ms[0], " ms, int8 ", ms[1], " ms a layer");
      CHECK(ms[1] < ms[0]);
    }
  }
}
