// A task of a shim channel, as mlir-aie lowers dma_configure_task and dma_start_task.
#pragma once

#include <cstdint>

#include "npu/control/control_program.h"
#include "npu/design/overlay.h"

namespace wnpu::npu {

inline void add_shim_descriptor(ControlProgram& program, TileId shim, int descriptor,
                                const BufferDescriptor& content, std::uint32_t argument) {
  program.operations.emplace_back(WriteDescriptor{shim, descriptor, content});
  program.operations.emplace_back(
      PatchAddress{ddr_address_register(shim, descriptor), argument, content.address * kWordBytes});
}

inline void add_task(ControlProgram& program, const PushTask& task) {
  if (task.has_token) program.operations.emplace_back(RouteTokens{task.port, kShimTokens});
  program.operations.emplace_back(task);
}

}  // namespace wnpu::npu
