// A search for the plan of a layer that the time model likes best. It climbs from the plan by hand,
// one choice at a time, until none is better; then takes all plans in the order of an analytical
// bound (predict/call_parts.h). What the bound proves no better than the best is left out, all
// others are simulated while there is time. What is offered has passed check().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "npu/tune/result_cache.h"
#include "npu/tune/tuning_space.h"

namespace wnpu::npu {

enum class Objective { time, ddr };
inline constexpr std::array<std::string_view, 2> kObjectiveNames{"time", "ddr"};

struct TuneOptions {
  const Target* target = nullptr;
  LayerShape shape;
  Precision precision = Precision::bf16;
  TimePreset preset;
  Objective objective = Objective::time;
  std::chrono::duration<double> budget{60};
  ResultCache* cache = nullptr;
};

// Modelled result of a plan.
struct PlanResult {
  LayerPlan plan;
  double ms = 0;  // launches included
  std::uint64_t ddr_bytes = 0;
  double bound_ms = 0;  // what the bound says
};

struct TuneResult {
  PlanResult by_hand;
  PlanResult best;
  // Counts of the plans in the space.
  std::size_t n_plans = 0;
  std::size_t n_simulated = 0;  // of them, in this search or one before
  std::size_t n_proven = 0;     // no better, by the bound
  std::size_t n_refused = 0;    // the array cannot run them
  std::size_t n_calls = 0;      // simulated now; the others were known
  double seconds = 0;

  // Whether no plan of the space is better.
  bool is_whole() const { return n_simulated + n_proven + n_refused == n_plans; }
};

// Throws std::invalid_argument for a shape that no call can have, SimulationError where the layer
// by hand cannot run.
TuneResult tune(const TuneOptions& options, const TuningSpace& space);

}  // namespace wnpu::npu
