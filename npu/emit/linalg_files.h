// Fused layer as portable code for any compiler, without tiles, streams or cores: upstream MLIR
// (func, linalg, tensor, arith, math), with a script that runs it on a CPU. Its text is in
// templates/, with names of extents in place of numbers: $M frames, $W width, $F hidden, $H heads,
// $D width of a head, $N the width as a real, $S the scale of attention.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "npu/design/layer_abi.h"
#include "npu/emit/emitted_files.h"

namespace wnpu::npu {

// A value that the layer takes, in the order of its arguments.
struct LayerValue {
  std::string name;
  std::vector<std::size_t> shape;
};
std::vector<LayerValue> layer_values(const LayerShape& shape);

// layer.mlir, and what runs it: run.mlir, values.c, run.sh, README.md.
std::vector<EmittedFile> linalg_files(const LayerShape& shape);

}  // namespace wnpu::npu
