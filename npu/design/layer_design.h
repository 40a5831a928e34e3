// The Design of one transformer layer, or of a part of it, for any shape: the fused layer is all
// operations in one call; the other plans cut it into more calls over the same arguments.
#pragma once

#include <array>
#include <string_view>

#include "npu/design/design.h"
#include "npu/design/layer_abi.h"
#include "npu/design/tuning/layer_tuning.h"

namespace wnpu::npu {

// The operations of a layer, in order. `up` includes GELU; `out` and `down` the residual.
enum class LayerOp { norm1, qkv, attend, out, norm2, up, down };
constexpr std::size_t kLayerOps = 7;
inline constexpr std::array<std::string_view, kLayerOps> kLayerOpNames{
    "norm1", "qkv", "attend", "out", "norm2", "up", "down"};
constexpr std::string_view layer_op_name(LayerOp op) {
  return kLayerOpNames[static_cast<std::size_t>(op)];
}

// A run of operations that is one call. What passes from one to the next inside the call stays in
// mem tiles where it fits; at the ends of a call it lies in the scratch argument.
struct LayerCall {
  LayerOp first = LayerOp::norm1;
  LayerOp last = LayerOp::down;
  bool with_gelu = true;  // false: `up` ends with its bias
  // Half a layer, whose result others add to the states (plans/split.h): these come from the input
  // argument, what is to be added goes to the output argument. Not where `out` and `down` are both
  // in the call, which keeps the states between them.
  bool is_summand = false;

  bool has(LayerOp op) const { return first <= op && op <= last; }
  bool operator==(const LayerCall&) const = default;
};

// The Design of one call of `layer`: operations call.first to call.last. Throws
// std::invalid_argument for a shape that no call can have.
Design layer_design(const TunedLayer& layer, LayerCall call = {});
Design layer_design(const LayerGeometry& geometry, LayerCall call = {});  // tuned by default

}  // namespace wnpu::npu
