// One way to run a layer: its tuning, and the calls that it is cut into.
#pragma once

#include <vector>

#include "npu/design/layer_design.h"

namespace wnpu::npu {

struct LayerPlan {
  LayerTuning tuning;
  std::vector<LayerCall> calls = std::vector<LayerCall>(1);  // all operations of a layer, in order

  bool operator==(const LayerPlan&) const = default;
};

inline std::vector<Design> designs_of(const TunedLayer& layer,
                                      const std::vector<LayerCall>& calls) {
  std::vector<Design> designs;
  designs.reserve(calls.size());
  for (const LayerCall& call : calls) designs.push_back(layer_design(layer, call));
  return designs;
}

}  // namespace wnpu::npu
