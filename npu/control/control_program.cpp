#include "npu/control/control_program.h"

namespace wnpu::npu {

ArrayShape array_shape(const Target& target) {
  constexpr int kShimAndMemTileRows = 2;
  return {target.generation, target.array_rows() + kShimAndMemTileRows, target.all_columns(), 1};
}

}  // namespace wnpu::npu
