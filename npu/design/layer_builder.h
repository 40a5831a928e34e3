// Writes the phases of a layer call and the transfers that feed them. One instance makes one
// Design.
#pragma once

#include <string>
#include <vector>

#include "npu/design/layer_design.h"
#include "npu/design/layer_streams.h"

namespace wnpu::npu {

class LayerBuilder {
 public:
  LayerBuilder(const LayerGeometry& geometry, LayerCall call);
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
    std::vector<Passed> states;  // input of a LayerNorm that comes from DDR; one or two
    Passed normed[2];            // by LayerNorm, for qkv and up
    Panel scales[2];             // int8: their row scales
    Passed attended;             // attention's result, for out; shares memory with normed[1]
    Passed middle;               // states between attention and feed-forward
    Passed hidden;               // between up and down, if it fits
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
  // Elements that fill a normed panel: by LayerNorm, or loaded from DDR.
  std::size_t normed_units(std::size_t which) const;
  Access argument(LayerArgument argument, std::uint64_t offset, std::uint32_t run,
                  std::int64_t step = 0) const;

  void add_panels();
  std::uint64_t add_norm_panels(std::size_t row, std::uint64_t begin);  // gives the end
  void add_feed_panels(std::size_t row, std::uint64_t begin);

  // layer_rows.cpp
  void norm(std::size_t which, std::size_t block);
  void norm_row(std::size_t which, std::size_t block, std::size_t row);
  void load_states(std::size_t which, std::size_t block, std::size_t row);
  void collect_normed(std::size_t which, std::size_t row, std::size_t column);
  void store_normed(std::size_t which, std::size_t block, std::size_t row);
  void attend();
  void send_keys_and_values();
  void attend_wave(std::size_t head, std::size_t wave);

  // layer_products.cpp
  void product(Gemm which, std::size_t block, Epilogue epilogue);
  void send_weights(Gemm which, std::size_t block);
  void multiply_normed(std::size_t which, Gemm gemm, std::size_t block);
  void load_normed(std::size_t which, Gemm gemm, std::size_t panel);
  void send_normed(std::size_t which, Gemm gemm, std::size_t row);
  void multiply_attended(std::size_t block);
  void send_attended(std::size_t row, std::size_t block, std::size_t tile_block);
  void multiply_hidden(std::size_t block);
  void send_hidden(std::size_t row, std::size_t block, std::size_t tile_block);
  void send_residual(std::size_t row, std::size_t block, std::size_t tile_block);
  Access query_key_value_place(std::size_t tile, std::size_t first_row) const;
  void store_query_key_value(std::size_t block);
  void store_hidden(std::size_t block);
  void store_states(std::size_t block, LayerArgument to, std::uint64_t offset);
  void keep_middle();

  const LayerGeometry& g_;
  LayerCall call_;
  Design design_;
  LayerStreams streams_;
  bool hidden_fits_ = false;
  std::vector<RowPanels> panels_;
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
