// Designs of calls: a transformer layer or a part of it, for any shape (the fused layer is all
// operations in one call, other plans cut it into more calls over the same arguments), one row's
// operation, and a plain matrix product.
#pragma once

#include <array>
#include <string_view>

#include "npu/design/design.h"
#include "npu/design/layer_abi.h"
#include "npu/design/layer_tuning.h"

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

// One row's operation as a call of its own: the plan of November 2025, kept to show why it fails.
// The overlay is the one of the fused layer; every core does the same row, one result is kept.
enum class RowOp {
  layer_norm,  // row -> normalised row; bf16, row-major
  attend,      // queries of one row and head, all keys and values of the head -> attended row
  gelu,        // a chunk of kGeluChunk elements
};

// In the November 2025 measurements a GELU call took 512 elements (Seed2025 in
// npu/plans/plan_model.h).
constexpr std::size_t kGeluChunk = 512;
// The array's attention works on groups of 8 queries; one of them means something.
constexpr std::size_t kRowQueries = 8;

struct RowShape {
  std::size_t width = 0;   // layer_norm: multiple of 16, at most 4096
  std::size_t frames = 0;  // attend: keys that are no padding
};

// Arguments: input, output, and for attend the keys and values of the head (layer_abi.h scratch).
Design row_design(const Target& target, RowOp op, const RowShape& shape);

// A plain matrix product on the overlay, operands streamed from DDR: for tensor operations alone
// (../tensor), for calibrating the time model against published figures and for benches. A layer's
// products keep their activations in mem tiles.
// C [m, n] = A [m, k] B [k, n] by tiles [tile_m, tile_k] x [tile_k, tile_n] a core. m must be a
// multiple of tile_m * core rows, n of tile_n * columns, k of tile_k.
struct GemmProblem {
  std::size_t m = 0, k = 0, n = 0;
  std::size_t tile_m = 64, tile_k = 64, tile_n = 64;
  bool is_int8 = false;
  bool has_residual = false;  // C = A B + X, the sum made in float
};

// Arguments: A, B and C as tiles in the order in which they are streamed, X as C. A is read once
// for every block of result columns, B once for every block of result rows. Tiles larger than the
// resident program's buffers make a Design that is good for time only; check() refuses it.
Design gemm_design(const Target& target, const GemmProblem& problem);

}  // namespace wnpu::npu
