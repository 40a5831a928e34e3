#include "app/commands/npu/calls.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/commands/npu/computations.h"
#include "app/options/exit_code.h"
#include "models/base/dims.h"
#include "npu/design/layer_design.h"
#include "npu/first_light/microbenchmarks/microbenchmarks.h"
#include "npu/plans/plan.h"
#include "npu/plans/plan_file.h"
#include "npu/plans/split.h"
#include "npu/sim/check.h"
#include "npu/sim/compile_call.h"

namespace wnpu::app {
namespace {

using npu::NamedDesign;

npu::LayerGeometry geometry_of(const CallChoice& choice) {
  return npu::layer_geometry(*npu::find_target(choice.target), layer_shape(choice.size),
                             npu::find_precision(choice.precision).value());
}

// States of a window by a matrix of the model's width.
npu::Design product(const CallChoice& choice) {
  const npu::LayerGeometry g = geometry_of(choice);
  npu::GemmProblem problem;
  problem.m = g.rows;
  problem.k = g.shape.width;
  problem.n = g.shape.width;
  problem.tile_n = g.state_tile();
  problem.is_int8 = g.precision == npu::Precision::int8;
  return npu::gemm_design(*g.target, problem);
}

std::string call_name(const npu::LayerCall& call) {
  std::string first(npu::layer_op_name(call.first));
  if (call.first == call.last) return first;
  return call == npu::LayerCall{} ? "layer"
                                  : first + "-" + std::string(npu::layer_op_name(call.last));
}

// The calls of a plan's file, which has to be for the layer of the size and the array.
std::vector<NamedDesign> tuned_designs(const CallChoice& choice) {
  const CallChoice normal;
  if (choice.plan != normal.plan || choice.precision != normal.precision) {
    throw UsageError("--plan-file: says plan and precision: --plan and --precision have no effect");
  }
  std::vector<NamedDesign> result;
  try {
    const npu::PlanFile file = npu::read_plan_file(choice.plan_file);
    npu::require_made_for(file, *npu::find_target(choice.target), layer_shape(choice.size));
    const npu::TunedLayer layer = file.layer();
    for (const npu::LayerCall& call : file.plan.calls) {
      result.push_back({call_name(call), npu::layer_design(layer, call)});
    }
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--plan-file: ") + error.what());
  }
  return result;
}

// Parts of one size have the same calls.
std::vector<NamedDesign> part_designs(const CallChoice& choice) {
  std::vector<NamedDesign> result;
  const npu::LayerShape shape = layer_shape(choice.size);
  std::vector<npu::LayerPart> parts;
  try {
    parts = npu::divide_heads(shape, choice.parts);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--parts: ") + error.what());
  }
  npu::LayerPart before;
  for (const npu::LayerPart& part : parts) {
    if (part.heads == before.heads && part.hidden == before.hidden) continue;
    const npu::LayerGeometry geometry =
        npu::part_geometry(*npu::find_target(choice.target), shape,
                           npu::find_precision(choice.precision).value(), part);
    const std::string whose =
        "-" + std::to_string(part.heads) + "-heads-" + std::to_string(part.hidden) + "-hidden";
    for (const npu::LayerCall& call : npu::part_calls()) {
      result.push_back({call_name(call) + whose, npu::layer_design(geometry, call)});
    }
    before = part;
  }
  return result;
}

std::vector<NamedDesign> designs(const CallChoice& choice) {
  if (choice.parts != kUsualParts && choice.plan != "heads") {
    throw UsageError("--parts has no effect: it needs --plan heads");
  }
  if (!choice.plan_file.empty()) return tuned_designs(choice);
  if (choice.plan == "heads") return part_designs(choice);
  if (choice.plan == "gemm") return {{"gemm", product(choice)}};
  const npu::LayerGeometry geometry = geometry_of(choice);
  if (choice.plan == "first-light") return npu::trial_calls(geometry);
  std::vector<NamedDesign> result;
  for (const npu::LayerCall& call : npu::layer_calls(npu::find_plan(choice.plan).value())) {
    result.push_back({call_name(call), npu::layer_design(geometry, call)});
  }
  return result;
}

// The plan's, and of the tensor operations those that the plan has not.
std::vector<NamedDesign> all_designs(const CallChoice& choice) {
  if (choice.memory_limit && choice.computations.empty()) {
    throw UsageError("--memory-limit has no effect: it needs --compute");
  }
  std::vector<NamedDesign> all = designs(choice);
  const std::string overlay = npu::hash_text(npu::overlay_hash(all.front().design));
  for (NamedDesign& named : computation_designs(*npu::find_target(choice.target),
                                                choice.computations, choice.memory_limit)) {
    const std::string other = npu::hash_text(npu::overlay_hash(named.design));
    if (other != overlay) {
      throw UsageError("--compute: " + named.name + ": expected overlay " + overlay +
                       " of the plan's calls, found " + other);
    }
    const std::uint64_t hash = npu::design_hash(named.design);
    const bool is_there = std::ranges::any_of(
        all, [&](const NamedDesign& one) { return npu::design_hash(one.design) == hash; });
    if (!is_there) all.push_back(std::move(named));
  }
  return all;
}

}  // namespace

npu::LayerShape layer_shape(const std::string& size) {
  const models::Dims dims = models::dims_of_size(size).value();
  return {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state};
}

std::string choice_text(const CallChoice& choice) {
  const std::string whose = choice.target + ", " + choice.size + ", ";
  if (!choice.plan_file.empty()) return whose + "plan of " + choice.plan_file;
  return whose + choice.precision + ", plan " + choice.plan;
}

std::vector<npu::EmittedCall> emitted_calls(const CallChoice& choice) {
  std::vector<npu::EmittedCall> calls;
  for (NamedDesign& named : all_designs(choice)) {
    const std::vector<std::string> problems = npu::check(named.design);
    if (!problems.empty()) {
      throw UsageError(choice_text(choice) + ": the array cannot run " + named.name + ": " +
                       problems.front());
    }
    npu::ControlProgram program = npu::control_program(named.design).program;
    calls.push_back({named.name, std::move(named.design), std::move(program)});
  }
  return calls;
}

}  // namespace wnpu::app
