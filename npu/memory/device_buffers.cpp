#include "npu/memory/device_buffers.h"

namespace wnpu::npu {

DeviceBuffers::DeviceBuffers(const BufferPlan& plan, Program& program) : place_(plan.place) {
  for (const PlannedBuffer& buffer : plan.buffers) {
    buffers_.push_back(program.allocate(buffer.bytes, buffer.argument));
  }
}

}  // namespace wnpu::npu
