// Argument layout of one transformer layer call: shapes, byte sizes of the four buffers (BOs), and
// the packing of weights and states. Nothing here names Whisper; shapes come in as numbers.
//
// XRT's argument list of a call (mlir-aie, aiecc: opcode u64, instruction buffer, its length in
// words, then data buffers): 0 opcode, 1 instructions, 2 length, 3.. data arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "npu/design/target.h"

namespace wnpu::npu {

// "Execute the instruction buffer" (mlir-aie test_utils, amdxdna ERT_START_CU convention).
constexpr std::uint64_t kOpcode = 3;

// Data arguments of every layer call.
enum class LayerArgument { input, weights, scratch, output };
constexpr std::size_t kLayerArguments = 4;
constexpr std::size_t index_of(LayerArgument argument) {
  return static_cast<std::size_t>(argument);
}

enum class Precision { bf16, int8 };
inline constexpr std::array<std::string_view, 2> kPrecisionNames{"bf16", "int8"};

std::string_view precision_name(Precision precision);
std::optional<Precision> find_precision(std::string_view name);

constexpr std::size_t kHeadWidth = 64;

// One layer's numbers.
struct LayerShape {
  std::size_t frames = 0;  // positions, e.g. 1500
  std::size_t width = 0;   // multiple of 64, at most 2048
  std::size_t heads = 0;   // of kHeadWidth columns: width / 64, or fewer where some were pruned
  std::size_t hidden = 0;  // multiple of 64

  // Columns of queries, keys, values and what attention makes of them.
  std::size_t attended() const { return heads * kHeadWidth; }
};

// A part of a layer's work: some of its heads, with their part of the out projection, and some of
// its hidden columns. The parts' results are sums over all of them.
struct LayerPart {
  std::size_t first_head = 0;
  std::size_t heads = 0;
  std::size_t first_hidden = 0;  // column, a multiple of 64
  std::size_t hidden = 0;        // the same

  bool operator==(const LayerPart&) const = default;
};

constexpr std::size_t rounded_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

constexpr std::size_t kPanelRows = 64;  // rows of activations that one row of cores works on
constexpr std::size_t kQueries = 48;    // rows of queries a core attends with at a time
constexpr std::size_t kKeys = 32;       // keys in a block

// The four products of a layer.
enum class Gemm { qkv, out, up, down };
constexpr std::size_t kGemms = 4;

// How one product is cut into tiles. Result tile t belongs to core column t % columns.
struct GemmGeometry {
  bool is_int8 = false;
  std::size_t k = 0;        // depth of a tile
  std::size_t n = 0;        // columns of a tile
  std::size_t k_tiles = 0;  // tiles along the depth
  std::size_t n_tiles = 0;  // result tiles that mean something
  std::size_t blocks = 0;   // result tiles a column; the last ones may be padding
  std::size_t offset = 0;   // of the weights in the packed buffer

  std::size_t tile_bytes() const { return k * n * (is_int8 ? 1 : 2); }
  // Parameters, in an element as long as a tile, and one column of tiles.
  std::size_t block_bytes() const { return (1 + k_tiles) * tile_bytes(); }
  std::size_t column_bytes() const { return blocks * block_bytes(); }
};

struct LayerGeometry {
  const Target* target = nullptr;
  LayerShape shape;  // of a part: its own heads and hidden columns, and the layer's width
  Precision precision = Precision::bf16;
  std::size_t rows = 0;        // frames, padded
  std::size_t row_blocks = 0;  // of kPanelRows * core rows
  std::size_t waves = 0;       // attention: rounds of kQueries rows on all cores
  std::size_t key_blocks = 0;
  std::size_t norm_rows = 0;  // rows in one element of a LayerNorm
  GemmGeometry gemms[kGemms];
  // Argument sizes and the parts of scratch, bytes.
  std::size_t states_bytes = 0;
  std::size_t weights_bytes = 0;
  std::size_t query_offset = 0;
  std::size_t key_value_offset = 0;
  std::size_t attention_offset = 0;
  std::size_t normed_offset = 0;  // only for calls that end between LayerNorm and product
  std::size_t states_offset = 0;  // the same: between out projection and LayerNorm
  std::size_t hidden_offset = 0;
  std::size_t padding_offset = 0;  // one element: results of padding tiles
  std::size_t scratch_bytes = 0;

  const GemmGeometry& gemm(Gemm g) const { return gemms[static_cast<std::size_t>(g)]; }
  std::size_t state_tile() const { return gemm(Gemm::out).n; }  // columns
  std::size_t argument_bytes(LayerArgument argument) const;
};

// Throws std::invalid_argument, naming expected and found, for shapes that no layer call can have.
LayerGeometry layer_geometry(const Target& target, const LayerShape& shape, Precision precision);

// The geometry of a part of such a layer. Throws the same, for a part that the layer does not have
// too.
LayerGeometry part_geometry(const Target& target, const LayerShape& shape, Precision precision,
                            const LayerPart& part);

// A layer's weights in fp32 as the caller has them: matrices [out, in], row-major. Query, key and
// value have attended() rows, out as many columns.
struct LayerWeights {
  std::span<const float> norm1_gamma, norm1_beta;
  std::span<const float> query, query_bias, key, value, value_bias, out, out_bias;
  std::span<const float> norm2_gamma, norm2_beta;
  std::span<const float> up, up_bias, down, down_bias;
};

// A part's weights: what it has of each matrix, and the biases of `out` and `down` where it is the
// first part, else none. What has to be gathered lies in `gathered`, which must outlive the result.
LayerWeights part_weights(const LayerShape& shape, const LayerPart& part,
                          const LayerWeights& weights, std::vector<float>& gathered);

// log2(e) / sqrt(head). Attention works with powers of two: with this scale in W_q and b_q, 2^(q.k)
// is exp(q.k / sqrt(head)) of the plain q.
float query_scale(std::size_t head);

// Fills the weights argument (geometry.weights_bytes). LayerNorm's gamma and beta go into the
// product that follows, the attention scale into the query. Throws std::invalid_argument for a
// matrix or vector of another size.
void pack_weights(const LayerGeometry& geometry, const LayerWeights& weights,
                  std::span<std::byte> packed);

// States [frames, width] (rows `stride` floats apart) <-> the input and output arguments: panels of
// 64 rows, tiles of state_tile() columns, 4x4 blocks, bf16. Rows beyond `frames` are zero.
void pack_states(const LayerGeometry& geometry, std::span<const float> states, std::size_t stride,
                 std::span<std::byte> packed);
void unpack_states(const LayerGeometry& geometry, std::span<const std::byte> packed,
                   std::span<float> states, std::size_t stride);

// Intermediate results in the scratch argument between calls, for plans that do a part of a layer
// elsewhere. Columns count over all heads; `normed` and `hidden` are bf16 only.
enum class ScratchPart { normed, query, key, value, attention, hidden };

// Rows [frames, columns] of a part <-> fp32 rows `stride` floats apart. Rows beyond `frames` are
// written as zero.
void write_scratch(const LayerGeometry& geometry, ScratchPart part, std::span<const float> rows,
                   std::size_t stride, std::span<std::byte> scratch);
void read_scratch(const LayerGeometry& geometry, ScratchPart part,
                  std::span<const std::byte> scratch, std::span<float> rows, std::size_t stride);

}  // namespace wnpu::npu
