#include "npu/first_light/microbenchmarks/calls.h"

#include "npu/plans/plan.h"

namespace wnpu::npu {
namespace {

constexpr std::size_t kTileRows = 64;
constexpr std::size_t kTileColumns = 64;

std::size_t all_columns(const Target& target) {
  return kTileColumns * static_cast<std::size_t>(target.columns);
}

}  // namespace

GemmProblem tile_problem(const Target& target) {
  GemmProblem p;
  p.m = kTileRows * static_cast<std::size_t>(target.core_rows);
  p.k = p.tile_k;
  p.n = all_columns(target);
  return p;
}

GemmProblem product_problem(const LayerGeometry& g) {
  GemmProblem p;
  p.is_int8 = g.precision == Precision::int8;
  p.tile_k = g.gemm(Gemm::qkv).k;
  p.m = g.rows;
  p.k = g.shape.width;
  p.n = rounded_up(g.shape.width, all_columns(*g.target));
  return p;
}

NamedDesign tile_call(const Target& target) {
  return {"tile", gemm_design(target, tile_problem(target))};
}

NamedDesign product_call(const LayerGeometry& geometry) {
  return {"product", gemm_design(*geometry.target, product_problem(geometry))};
}

std::vector<NamedDesign> batched_calls(const LayerGeometry& geometry) {
  std::vector<NamedDesign> calls;
  for (const LayerCall& call : layer_calls(Plan::batched)) {
    calls.push_back({std::string(layer_op_name(call.first)), layer_design(geometry, call)});
  }
  return calls;
}

NamedDesign fused_call(const LayerGeometry& geometry) { return {"layer", layer_design(geometry)}; }

}  // namespace wnpu::npu
