// Costs of every plan on an array by the time model: modelled figures, never measured ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "npu/design/target.h"
#include "npu/plans/plan.h"
#include "npu/plans/plan_file.h"

namespace wnpu::npu {

// An encoder's layers.
struct EncoderShape {
  std::size_t width = 0;
  std::size_t heads = 0;
  std::size_t hidden = 0;
  std::size_t layers = 0;
};

// Controller's work for a window's calls.
struct ControllerShare {
  std::size_t tasks = 0;
  std::size_t descriptors = 0;  // written
  std::size_t operations = 0;
  std::uint64_t bytes = 0;  // of the control programs
  double busy_ms = 0;
  double exposed_ms = 0;  // what of it the calls take longer for

  double hidden() const { return busy_ms > 0 ? 1 - exposed_ms / busy_ms : 1; }  // share of busy_ms
};

struct PlanCost {
  Plan plan = Plan::fused;
  std::string preset;
  Precision precision = Precision::bf16;
  std::size_t frames = 0;
  std::size_t launches = 0;     // a window
  double launch_ms = 0;         // a window, all launches
  double array_ms = 0;          // a window, the array's work under its controller
  ControllerShare controller;   // a window
  std::uint64_t ddr_bytes = 0;  // a window
  double utilisation = 0;       // of the cores, while the array works

  // Time of launches and array. The CPU's share (hybrid, per-op) is not included: it has to be
  // measured.
  double modelled_ms() const { return launch_ms + array_ms; }
};

// One window of `frames` positions by `plan`.
PlanCost model_plan(const EncoderShape& shape, std::size_t frames, Plan plan,
                    const HardwareModel& preset, Precision precision = Precision::bf16);
// One window by a plan that was chosen for the encoder's layers; PlanCost::plan means nothing then.
PlanCost model_tuned(const EncoderShape& shape, const PlanFile& file, const HardwareModel& preset);
// All plans at all numbers of frames.
std::vector<PlanCost> model_plans(const EncoderShape& shape, std::span<const std::size_t> frames,
                                  const HardwareModel& preset);

// November 2025 on Phoenix (XDNA1), Whisper base: kernels called a row at a time, times of single
// calls with launch as measured then (a design note that is not in this repository; bench --plans
// prints these figures as seed-2025-11). Matrix products ran on the CPU.
struct Seed2025 {
  static constexpr double kLayerNormMs = 0.83;  // 1024 elements
  static constexpr double kSoftmaxMs = 1.54;
  static constexpr double kGeluMs = 1.52;  // 512 elements
  static constexpr double kMatmul64Ms = 0.39;
};
// The preset's name in tables: "seed-2025-11".
PlanCost model_seed_2025(const EncoderShape& shape, std::size_t frames);

}  // namespace wnpu::npu
