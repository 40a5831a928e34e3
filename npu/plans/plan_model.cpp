#include "npu/plans/plan_model.h"

#include "npu/design/row_design.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {
namespace {

// Calls of the per-op plan in one layer: one a row, a row and head, a chunk of a row.
struct RowCalls {
  std::size_t layer_norm = 0;
  std::size_t softmax = 0;
  std::size_t gelu = 0;

  std::size_t all() const { return layer_norm + softmax + gelu; }
};

RowCalls row_calls(const EncoderShape& shape, std::size_t frames) {
  return {2 * frames, shape.heads * frames,
          frames * ((shape.hidden + kGeluChunk - 1) / kGeluChunk)};
}

// The array's part of calls of whole operations.
void add_calls(PlanCost& cost, const EncoderShape& shape, std::span<const LayerCall> calls,
               const TimePreset& preset) {
  const LayerGeometry geometry = layer_geometry(
      *preset.target, {cost.frames, shape.width, shape.heads, shape.hidden}, cost.precision);
  const auto layers = static_cast<double>(shape.layers);
  double busy = 0;
  double all = 0;
  for (const LayerCall& call : calls) {
    const SimReport report = simulate(layer_design(geometry, call), {&preset, {}, nullptr, false});
    cost.array_ms += layers * report.ms;
    cost.ddr_bytes += shape.layers * (report.ddr_read_bytes + report.ddr_write_bytes);
    busy += report.utilisation() * report.cycles;
    all += report.cycles;
  }
  cost.utilisation = all > 0 ? busy / all : 0;
  cost.launches = shape.layers * calls.size();
}

void add_row_calls(PlanCost& cost, const EncoderShape& shape, const TimePreset& preset) {
  const RowCalls calls = row_calls(shape, cost.frames);
  double busy = 0;
  double all = 0;
  const auto add = [&](RowOp op, std::size_t a_layer) {
    const SimReport report = simulate(row_design(*preset.target, op, {shape.width, cost.frames}),
                                      {&preset, {}, nullptr, false});
    const std::size_t n = shape.layers * a_layer;
    cost.array_ms += static_cast<double>(n) * report.ms;
    cost.ddr_bytes += n * (report.ddr_read_bytes + report.ddr_write_bytes);
    busy += static_cast<double>(n) * report.utilisation() * report.cycles;
    all += static_cast<double>(n) * report.cycles;
  };
  add(RowOp::layer_norm, calls.layer_norm);
  add(RowOp::attend, calls.softmax);
  add(RowOp::gelu, calls.gelu);
  cost.utilisation = all > 0 ? busy / all : 0;
  cost.launches = shape.layers * calls.all();
}

}  // namespace

PlanCost model_plan(const EncoderShape& shape, std::size_t frames, Plan plan,
                    const TimePreset& preset, Precision precision) {
  PlanCost cost;
  cost.plan = plan;
  cost.preset = preset.name;
  cost.precision = precision;
  cost.frames = frames;
  double launch_us = preset.list_launch_us;
  if (plan == Plan::per_op) {
    add_row_calls(cost, shape, preset);
    launch_us = preset.launch_us;
  } else if (plan == Plan::hybrid) {
    const auto calls = product_calls();
    add_calls(cost, shape, calls, preset);
    launch_us = preset.launch_us;  // the CPU works between calls, so they are no list
  } else {
    const auto calls = layer_calls(plan);
    add_calls(cost, shape, calls, preset);
  }
  cost.launch_ms = static_cast<double>(cost.launches) * launch_us / 1e3;
  return cost;
}

std::vector<PlanCost> model_plans(const EncoderShape& shape, std::span<const std::size_t> frames,
                                  const TimePreset& preset) {
  std::vector<PlanCost> costs;
  for (const std::size_t n : frames) {
    for (const Plan plan : {Plan::per_op, Plan::hybrid, Plan::batched, Plan::fused}) {
      costs.push_back(model_plan(shape, n, plan, preset));
    }
  }
  return costs;
}

PlanCost model_seed_2025(const EncoderShape& shape, std::size_t frames) {
  const RowCalls calls = row_calls(shape, frames);
  PlanCost cost;
  cost.plan = Plan::per_op;
  cost.preset = "seed-2025-11";
  cost.frames = frames;
  cost.launches = shape.layers * calls.all();
  // The single-call times hold launch and work together.
  cost.launch_ms = static_cast<double>(shape.layers) *
                   (static_cast<double>(calls.layer_norm) * Seed2025::kLayerNormMs +
                    static_cast<double>(calls.softmax) * Seed2025::kSoftmaxMs +
                    static_cast<double>(calls.gelu) * Seed2025::kGeluMs);
  return cost;
}

}  // namespace wnpu::npu
