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

// How the emitted folder becomes an XCLBIN on a machine that has mlir-aie and Peano. Neither is
// here, and the script was never run to its end by this project.
std::string build_script(const Target& target);
// Linker script of the program that every core loads: text at 0, constants and stack in the room
// that the Design leaves for them.
std::string linker_script(const Design& design);

}  // namespace wnpu::npu
