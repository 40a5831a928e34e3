// Calls to try a device with, all of the layer's overlay, so that one XCLBIN runs them: from the
// product of one tile a core to a whole layer. Those whose times are taken apart:
// microbenchmarks.h.
#pragma once

#include <string>
#include <vector>

#include "npu/design/layer_design.h"

namespace wnpu::npu {

struct NamedDesign {
  std::string name;  // letters, digits and underscores
  Design design;
};

// One tile a core: the least that computes something.
GemmProblem tile_problem(const Target& target);
// The layer's rows by a matrix of its width. Tiles are of 8 KB, as the overlay's ports have them;
// columns that the tiles have more are there as well.
GemmProblem product_problem(const LayerGeometry& geometry);

NamedDesign tile_call(const Target& target);
NamedDesign product_call(const LayerGeometry& geometry);
std::vector<NamedDesign> batched_calls(const LayerGeometry& geometry);
NamedDesign fused_call(const LayerGeometry& geometry);

}  // namespace wnpu::npu
