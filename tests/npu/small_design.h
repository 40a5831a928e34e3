// The call that tests of Designs take where its size does not matter, and speeds for its time.
#pragma once

#include "npu/design/layer_design.h"
#include "npu/design/target.h"

namespace wnpu::tests {

inline const npu::HardwareModel& preset() {
  static const npu::HardwareModel kPreset = npu::find_preset("phoenix-1.0/published");
  return kPreset;
}

inline npu::LayerGeometry small_geometry(npu::Precision precision = npu::Precision::bf16) {
  return npu::layer_geometry(npu::npu1(), {100, 128, 2, 512}, precision);
}

inline npu::Design small_design(npu::Precision precision = npu::Precision::bf16) {
  return npu::layer_design(small_geometry(precision));
}

}  // namespace wnpu::tests
