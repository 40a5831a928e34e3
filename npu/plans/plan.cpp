#include "npu/plans/plan.h"

#include <stdexcept>
#include <string>

namespace wnpu::npu {

std::string_view plan_name(Plan plan) { return kPlanNames[static_cast<std::size_t>(plan)]; }

std::optional<Plan> find_plan(std::string_view name) {
  for (std::size_t i = 0; i < kPlanNames.size(); ++i) {
    if (kPlanNames[i] == name) return static_cast<Plan>(i);
  }
  return std::nullopt;
}

std::vector<LayerCall> layer_calls(Plan plan) {
  if (plan == Plan::fused) return {LayerCall{}};
  if (plan != Plan::batched) {
    throw std::invalid_argument("plan " + std::string(plan_name(plan)) +
                                ": its calls are not whole operations on resident states");
  }
  std::vector<LayerCall> calls;
  for (std::size_t i = 0; i < kLayerOps; ++i) {
    calls.push_back({static_cast<LayerOp>(i), static_cast<LayerOp>(i)});
  }
  return calls;
}

std::vector<LayerCall> product_calls() {
  std::vector<LayerCall> calls;
  for (const LayerOp op : {LayerOp::qkv, LayerOp::out, LayerOp::up, LayerOp::down}) {
    calls.push_back({op, op, false});
  }
  return calls;
}

}  // namespace wnpu::npu
