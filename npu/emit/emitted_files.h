// All that a machine with mlir-aie and Peano needs to make an XCLBIN, and what the XCLBIN needs
// beside it: module, sources, linker script, build script, instruction streams, manifest.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "npu/emit/module_text.h"

namespace wnpu::npu {

struct EmittedFile {
  std::string path;  // within the folder
  std::string contents;
  bool is_executable = false;
};

// Throws ControlError as module_text() does.
std::vector<EmittedFile> emitted_files(std::span<const EmittedCall> calls);

}  // namespace wnpu::npu
