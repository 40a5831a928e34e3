// Writes the phases of a layer call and the transfers that feed them. One instance makes one
// Design.
#pragma once

#include <vector>

#include "npu/design/layer_design.h"
#include "npu/design/layer_streams.h"

namespace wnpu::npu {

class LayerBuilder {
 public:
  LayerBuilder(const TunedLayer& layer, LayerCall call);
  Design build();

 private:
  // When panels are alive: eras of a call follow each other, so their panels share memory.
  enum Era : unsigned { kEraNorm = 1, kEraAttend = 2, kEraFeed = 4 };

  // A panel between two phases, and the lock pair that passes it to and fro. Locks count elements.
  struct Passed {
    Panel panel;
    std::size_t free = kNone;
    std::size_t full = kNone;
  };
  // One row's panels.
  struct RowPanels {
    std::vector<Passed> states;     // input of a LayerNorm that comes from DDR; one or two
    std::vector<Passed> normed[2];  // by LayerNorm, for qkv (one a row block of a group) and up
    Panel scales[2];                // int8: their row scales
    Passed attended;                // attention's result, for out; shares memory with normed[1]
    Passed middle;                  // states between attention and feed-forward
    Passed hidden;                  // between up and down, if it fits
  };

  bool is_int8() const { return g_.precision == Precision::int8; }
  bool hidden_stays() const {
    return hidden_fits_ && call_.has(LayerOp::up) && call_.has(LayerOp::down);
  }
  std::size_t state_tiles() const { return g_.shape.width / g_.state_tile(); }
  std::size_t state_tile_bytes() const { return kPanelRows * g_.state_tile() * 2; }
  std::size_t panel_of(std::size_t block, std::size_t row) const {
    return block * streams_.rows() + row;
  }
  std::size_t normed_bytes() const { return kPanelRows * g_.shape.width * (is_int8() ? 1 : 2); }
  std::size_t norm_elements() const { return kPanelRows / g_.norm_rows; }
  // Row blocks that qkv's weights are read for at once.
  std::size_t group() const { return t_.qkv_row_blocks; }
  // Blocks of keys that are attended.
  std::size_t key_blocks() const {
    return t_.attends_padding ? g_.key_blocks : (g_.shape.frames + kKeys - 1) / kKeys;
  }
  // Result tiles of qkv that a head's queries, keys or values are.
  std::size_t tiles_a_head() const { return kHeadWidth / g_.gemm(Gemm::qkv).n; }
  Passed& normed(std::size_t row, std::size_t which, std::size_t block) {
    std::vector<Passed>& panels = panels_[row].normed[which];
    return panels[block % panels.size()];
  }
  // Elements that fill a normed panel: by LayerNorm, or loaded from DDR.
  std::size_t normed_units(std::size_t which) const;
  Access argument(LayerArgument argument, std::uint64_t offset, std::uint32_t run,
                  std::int64_t step = 0) const;

  void add_panels();
  std::uint64_t add_norm_panels(std::size_t row, std::uint64_t begin);  // gives the end
  std::uint64_t shared_weight_bytes() const;
  std::uint64_t add_shared_weights(std::size_t row, std::uint64_t begin);
  void add_feed_panels(std::size_t row, std::uint64_t begin);

  // layer_rows.cpp
  void norm(std::size_t which, std::size_t block);
  void norm_row(std::size_t which, std::size_t block, std::size_t row);
  void load_states(std::size_t which, std::size_t block, std::size_t row);
  std::size_t first_norm_row(std::size_t element) const;
  void collect_normed(std::size_t which, std::size_t block, std::size_t row, std::size_t column);
  void store_normed(std::size_t which, std::size_t block, std::size_t row);
  void attend();
  Wait qkv_written() const;
  void send_keys_and_values();
  void send_keys_and_values(std::size_t head);
  void attend_wave(std::size_t head, std::size_t wave);

  // layer_products.cpp
  // Row blocks that follow each other.
  struct Blocks {
    std::size_t first = 0;
    std::size_t count = 1;
  };
  void product(Gemm which, Blocks blocks, Epilogue epilogue);
  void send_weights(Gemm which, Blocks blocks);
  void share_weights(std::size_t mem, const Access& from, std::size_t row_blocks);
  void multiply_normed(std::size_t which, Gemm gemm, Blocks blocks);
  void load_normed(std::size_t which, Gemm gemm, std::size_t panel);
  void send_normed(std::size_t which, Gemm gemm, std::size_t row, Blocks blocks);
  void send_normed_panel(std::size_t which, Gemm gemm, std::size_t row, std::size_t block,
                         std::size_t tile_block);
  void multiply_attended(std::size_t block);
  void send_attended(std::size_t row, std::size_t block, std::size_t tile_block);
  void multiply_hidden(std::size_t block);
  void send_hidden(std::size_t row, std::size_t block, std::size_t tile_block);
  void send_residual(std::size_t row, std::size_t block, std::size_t tile_block);
  Access query_key_value_place(std::size_t tile, std::size_t first_row) const;
  void store_query_key_value(Blocks blocks);
  void store_query_key_value(std::size_t tile, std::size_t block);
  void store_hidden(std::size_t block);
  void store_states(std::size_t block, LayerArgument to, std::uint64_t offset);
  void keep_middle();

  const LayerGeometry& g_;
  const LayerTuning& t_;
  LayerCall call_;
  Design design_;
  LayerStreams streams_;
  bool hidden_fits_ = false;
  std::vector<RowPanels> panels_;
  std::vector<Passed>
      shared_weights_;  // [mem tile]: a block of qkv's, where a group has more than one
  std::vector<std::vector<std::size_t>> key_value_locks_;  // [mem tile][wave]: see attend
  std::vector<Panel> key_values_;                          // [mem tile]
  std::size_t qkv_token_ = kNone;
  std::size_t key_value_token_ = kNone;
  std::size_t attention_token_ = kNone;
  std::vector<std::size_t> hidden_tokens_;  // [row]
};

// A Design with its target set: what LayerStreams starts from.
Design empty_layer_design(const LayerGeometry& geometry, LayerCall call);

}  // namespace wnpu::npu
