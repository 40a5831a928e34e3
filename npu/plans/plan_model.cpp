#include "npu/plans/plan_model.h"

#include "npu/design/layer_design.h"
#include "npu/sim/compile_call.h"

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

// `n` calls of one design.
void add_calls_of(PlanCost& cost, const Design& design, std::size_t n,
                  const HardwareModel& preset) {
  const TimedCall timed = time_call(design, preset);
  const CallProgram& program = timed.program;
  const auto times = static_cast<double>(n);
  const double ms_a_cycle = 1 / (preset.clock_ghz * 1e6);
  cost.array_ms += times * timed.report.ms;
  cost.ddr_bytes += n * (timed.report.ddr_read_bytes + timed.report.ddr_write_bytes);
  cost.controller.tasks += n * program.n_tasks;
  cost.controller.descriptors += n * program.n_descriptors;
  cost.controller.operations += n * program.program.operations.size();
  cost.controller.bytes += n * encode(program.program).size();
  cost.controller.busy_ms += times * timed.report.controller.busy * ms_a_cycle;
  const double ideal = simulate(design, {&preset}).cycles;  // if the controller took no time
  cost.controller.exposed_ms += times * (timed.report.cycles - ideal) * ms_a_cycle;
  cost.utilisation += times * timed.report.utilisation() * timed.report.ms;  // of all: model_plan
}

// The array's part of calls of whole operations.
void add_calls(PlanCost& cost, const EncoderShape& shape, std::span<const LayerCall> calls,
               const HardwareModel& preset) {
  const LayerGeometry geometry = layer_geometry(
      *preset.target, {cost.frames, shape.width, shape.heads, shape.hidden}, cost.precision);
  for (const LayerCall& call : calls) {
    add_calls_of(cost, layer_design(geometry, call), shape.layers, preset);
  }
  cost.launches = shape.layers * calls.size();
}

void add_row_calls(PlanCost& cost, const EncoderShape& shape, const HardwareModel& preset) {
  const RowCalls calls = row_calls(shape, cost.frames);
  const auto add = [&](RowOp op, std::size_t a_layer) {
    add_calls_of(cost, row_design(*preset.target, op, {shape.width, cost.frames}),
                 shape.layers * a_layer, preset);
  };
  add(RowOp::layer_norm, calls.layer_norm);
  add(RowOp::attend, calls.softmax);
  add(RowOp::gelu, calls.gelu);
  cost.launches = shape.layers * calls.all();
}

}  // namespace

PlanCost model_plan(const EncoderShape& shape, std::size_t frames, Plan plan,
                    const HardwareModel& preset, Precision precision) {
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
  if (cost.array_ms > 0) cost.utilisation /= cost.array_ms;
  return cost;
}

PlanCost model_tuned(const EncoderShape& shape, const PlanFile& file, const HardwareModel& preset) {
  require_made_for(file, *preset.target,
                   {file.shape.frames, shape.width, shape.heads, shape.hidden});
  PlanCost cost;
  cost.preset = preset.name;
  cost.precision = file.precision;
  cost.frames = file.shape.frames;
  for (const Design& design : designs_of(file.layer(), file.plan.calls)) {
    add_calls_of(cost, design, shape.layers, preset);
  }
  cost.launches = shape.layers * file.plan.calls.size();
  cost.launch_ms = static_cast<double>(cost.launches) * preset.list_launch_us / 1e3;
  if (cost.array_ms > 0) cost.utilisation /= cost.array_ms;
  return cost;
}

std::vector<PlanCost> model_plans(const EncoderShape& shape, std::span<const std::size_t> frames,
                                  const HardwareModel& preset) {
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
