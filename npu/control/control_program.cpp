#include "npu/control/control_program.h"

namespace wnpu::npu {

ArrayShape array_shape(const Target& target) {
  constexpr int kShimAndMemTileRows = 2;
  return {target.generation, target.core_rows + kShimAndMemTileRows, target.columns, 1};
}

}  // namespace wnpu::npu
