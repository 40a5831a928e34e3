// Fused layer as portable code for any compiler, without tiles, streams or cores: upstream MLIR
// (func, linalg, tensor, arith, math), with a script that runs it on a CPU.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "npu/design/layer_abi.h"

namespace wnpu::npu {

// A value that the layer takes, in the order of its arguments.
struct LayerValue {
  std::string name;
  std::vector<std::size_t> shape;
};
std::vector<LayerValue> layer_values(const LayerShape& shape);

struct PortableFile {
  std::string name;
  std::string contents;
  bool is_executable = false;
};
// layer.mlir, and what runs it: run.mlir, values.c, run.sh, README.md.
std::vector<PortableFile> linalg_files(const LayerShape& shape);

}  // namespace wnpu::npu
