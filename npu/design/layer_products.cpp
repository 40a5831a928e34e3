// The four matrix products: weights down the columns, activations along the rows.
#include "npu/design/layer_builder.h"

namespace wnpu::npu {
namespace {

constexpr std::uint32_t kScaleBytes = kPanelRows * sizeof(float);  // int8: of a panel's rows

Access read_order(std::uint32_t run, std::vector<Dimension> dims) {
  return {0, 0, run, std::move(dims), 0, 0, 0, 0};
}

// Reading a result of 64 rows and n columns, in 4x4 blocks, in the order of the left operand's 4x8
// blocks ...
Access as_left_operand(std::size_t n) { return read_order(8, {{2, 32}, {4, 8}, {u32(2 * n), 64}}); }
// ... writing one of 64 columns that way when it comes in its own order ...
const std::vector<Dimension> kToLeftOperand{{4, 16}, {2, 8}, {128, 64}};
// ... and reading in the order of the right operand's 8x4 blocks, 32 bytes at a time: the two
// halves of a block are a row of blocks apart.
Access as_right_operand(std::size_t n) {
  return read_order(32, {{2, i64(8 * n)}, {u32(n / 4), 32}, {8, i64(16 * n)}});
}

}  // namespace

void LayerBuilder::product(Gemm which, Blocks blocks, Epilogue epilogue) {
  constexpr const char* kNames[kGemms]{"qkv", "out", "up", "down"};
  const GemmGeometry& gemm = g_.gemm(which);
  Phase phase;
  phase.name = kNames[static_cast<std::size_t>(which)];
  phase.kernel = gemm.is_int8 ? Kernel::gemm_int8 : Kernel::gemm_bf16;
  phase.epilogue = epilogue;
  phase.outer = u32(gemm.blocks * blocks.count);
  phase.inner = u32(gemm.k_tiles);
  phase.m = kPanelRows;
  phase.k = u32(gemm.k);
  phase.n = u32(gemm.n);
  design_.phases.push_back(phase);
  send_weights(which, blocks);
  const std::size_t block = blocks.first;
  switch (which) {
    case Gemm::qkv:
      multiply_normed(0, which, blocks);
      store_query_key_value(blocks);
      break;
    case Gemm::out:
      multiply_attended(block);
      if (call_.has(LayerOp::norm2)) {
        keep_middle();
      } else if (call_.is_summand) {
        store_states(block, LayerArgument::output, 0);
      } else {
        store_states(block, LayerArgument::scratch, g_.states_offset);
      }
      break;
    case Gemm::up:
      multiply_normed(1, which, blocks);
      store_hidden(block);
      break;
    case Gemm::down:
      multiply_hidden(block);
      store_states(block, LayerArgument::output, 0);
      break;
  }
}

// A column's weights in the order in which it multiplies them: all contiguous. The first after
// attention wait until all keys and values have come in, for the mem tiles take both through one
// channel, and an arbiter does not know whose turn it is.
void LayerBuilder::send_weights(Gemm which, Blocks blocks) {
  const GemmGeometry& gemm = g_.gemm(which);
  const std::uint32_t tile = u32(gemm.tile_bytes());
  Wait wait;
  const bool is_first = which == Gemm::out && blocks.first == 0 && call_.has(LayerOp::attend);
  if (is_first && t_.broadcasts_keys) {
    wait = {key_value_token_, g_.shape.heads * key_blocks() * streams_.rows()};
  }
  const bool is_shared = which == Gemm::qkv && group() > 1;
  for (std::size_t mem = 0; mem < streams_.rows(); ++mem) {
    const std::size_t column = mem % streams_.columns();
    const std::uint64_t offset = gemm.offset + column * gemm.column_bytes();
    const Access from = argument(LayerArgument::weights, offset, tile, tile);
    if (is_shared) share_weights(mem, from, blocks.count);
    if (is_shared || mem != column) continue;  // in all halves at once
    streams_.b_from_ddr(column, from, gemm.blocks * (1 + gemm.k_tiles), wait);
  }
}

// qkv's weights, a block of result tiles at a time: into the mem tile once, to the cores for each
// row block of a group. The last reading frees them, element by element.
void LayerBuilder::share_weights(std::size_t mem, const Access& from, std::size_t row_blocks) {
  const GemmGeometry& gemm = g_.gemm(Gemm::qkv);
  const Passed& to = shared_weights_[mem];
  Transfer transfer;
  transfer.elements = u32(1 + gemm.k_tiles);
  for (std::size_t b = 0; b < gemm.blocks; ++b) {
    transfer.access = from;
    transfer.access.offset += b * gemm.block_bytes();
    transfer.acquire = transfer.release = {};
    streams_.at_source(streams_.overlay().b_in[mem], transfer);
    transfer.access = to.panel.at(0, from.run, {}, kElementBytes);
    transfer.acquire = {to.free, 1, LockMode::each};
    transfer.release = {to.full, 1, LockMode::each};
    streams_.at_sink(streams_.overlay().b_in[mem], 0, transfer);
    for (std::size_t i = 0; i < row_blocks; ++i) {
      transfer.acquire = i == 0 ? LockUse{to.full, 1, LockMode::each} : LockUse{};
      transfer.release = i + 1 == row_blocks ? LockUse{to.free, 1, LockMode::each} : LockUse{};
      streams_.at_source(streams_.overlay().b_column[mem], transfer);
    }
  }
}

// qkv and up: the normed panels once for every block of result tiles; int8 sends its scales first.
void LayerBuilder::multiply_normed(std::size_t which, Gemm gemm_name, Blocks blocks) {
  const bool is_made_here = call_.has(which == 0 ? LayerOp::norm1 : LayerOp::norm2);
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    for (std::size_t i = 0; i < blocks.count && !is_made_here; ++i) {
      load_normed(which, gemm_name, panel_of(blocks.first + i, row));
    }
    send_normed(which, gemm_name, row, blocks);
  }
}

void LayerBuilder::load_normed(std::size_t which, Gemm gemm_name, std::size_t panel) {
  const std::size_t row = panel % streams_.rows();
  const Passed& to = normed(row, which, panel / streams_.rows());
  const LockUse take{to.free, 1, LockMode::each};
  const LockUse give{to.full, 1, LockMode::each};
  const auto ddr = [&](std::uint64_t offset, std::uint32_t run) {
    return argument(LayerArgument::scratch, g_.normed_offset + offset, run, run);
  };
  streams_.load_panel(row, {ddr(panel * normed_bytes(), kElementBytes),
                            to.panel.at(0, kElementBytes, {}, kElementBytes),
                            g_.gemm(gemm_name).k_tiles,
                            take,
                            give,
                            {}});
  if (!is_int8()) return;
  const std::uint64_t behind = g_.rows * g_.shape.width * 2 + panel * kScaleBytes;
  streams_.load_panel(
      row,
      {ddr(behind, kScaleBytes), panels_[row].scales[which].at(0, kScaleBytes), 1, take, give, {}});
}

void LayerBuilder::send_normed(std::size_t which, Gemm gemm_name, std::size_t row, Blocks blocks) {
  if (is_int8()) {
    const LockUse acquire{normed(row, which, blocks.first).full,
                          static_cast<int>(normed_units(which)), LockMode::once};
    streams_.a_from_panel(row, panels_[row].scales[which].at(0, kScaleBytes), 1, acquire, {});
  }
  for (std::size_t b = 0; b < g_.gemm(gemm_name).blocks; ++b) {
    for (std::size_t i = 0; i < blocks.count; ++i) {
      send_normed_panel(which, gemm_name, row, blocks.first + i, b);
    }
  }
}

// For one block of result tiles: the first waits until the panel is full, the last gives it back to
// whoever fills it. That is attention's results if `out` is in this call.
void LayerBuilder::send_normed_panel(std::size_t which, Gemm gemm_name, std::size_t row,
                                     std::size_t block, std::size_t tile_block) {
  const GemmGeometry& gemm = g_.gemm(gemm_name);
  const Passed& from = normed(row, which, block);
  const int units = static_cast<int>(normed_units(which));
  const LockUse acquire{from.full, units, LockMode::once};  // int8: scales have done it
  const bool is_shared = which == 1 && call_.has(LayerOp::out);
  const LockUse give_back =
      is_shared ? LockUse{panels_[row].attended.free, static_cast<int>(g_.gemm(Gemm::out).k_tiles),
                          LockMode::once}
                : LockUse{from.free, units, LockMode::once};
  streams_.a_from_panel(row, from.panel.at(0, kElementBytes, {}, kElementBytes), gemm.k_tiles,
                        tile_block == 0 && !is_int8() ? acquire : LockUse{},
                        tile_block + 1 == gemm.blocks ? give_back : LockUse{});
}

// out: attention's results are tile k of the left operand for head k. Their panel is normed[1]'s
// afterwards: the last reading frees it for LayerNorm's elements, and up's last reading frees it
// for the next row block's attention results.
void LayerBuilder::multiply_attended(std::size_t block) {
  const GemmGeometry& gemm = g_.gemm(Gemm::out);
  Wait wait;
  if (call_.has(LayerOp::attend)) {
    wait = {attention_token_, g_.shape.heads * g_.rows / kQueries};
  }
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    const Passed& p = panels_[row].attended;
    const std::uint64_t offset =
        g_.attention_offset + panel_of(block, row) * kPanelRows * kHeadWidth * 2;
    streams_.load_panel(row, {argument(LayerArgument::scratch, offset, kElementBytes,
                                       i64(g_.rows * kHeadWidth * 2)),
                              p.panel.at(0, kElementBytes, {}, kElementBytes),
                              gemm.k_tiles,
                              {p.free, 1, LockMode::each},
                              {p.full, 1, LockMode::each},
                              wait});
    for (std::size_t b = 0; b < gemm.blocks; ++b) send_attended(row, block, b);
  }
}

// One block of result tiles: attention's results, then the residual from the layer's input.
void LayerBuilder::send_attended(std::size_t row, std::size_t block, std::size_t tile_block) {
  const GemmGeometry& gemm = g_.gemm(Gemm::out);
  const Passed& p = panels_[row].attended;
  const int heads = static_cast<int>(gemm.k_tiles);
  const LockUse give_back = call_.has(LayerOp::norm2)
                                ? LockUse{panels_[row].normed[1].front().free,
                                          static_cast<int>(normed_units(1)), LockMode::once}
                                : LockUse{p.free, heads, LockMode::once};
  streams_.a_from_panel(row, p.panel.at(0, kElementBytes, {}, kElementBytes), gemm.k_tiles,
                        tile_block == 0 ? LockUse{p.full, heads, LockMode::once} : LockUse{},
                        tile_block + 1 == gemm.blocks ? give_back : LockUse{});
  if (call_.is_summand) return;
  const std::uint32_t tile = u32(state_tile_bytes());
  const std::uint64_t x =
      (panel_of(block, row) * state_tiles() + tile_block * streams_.columns()) * tile;
  streams_.a_from_ddr(row, argument(LayerArgument::input, x, tile, tile), streams_.columns(), {});
}

// down: the hidden panel, or the hidden rows in DDR, once for every block of result tiles.
void LayerBuilder::multiply_hidden(std::size_t block) {
  const std::size_t blocks = g_.gemm(Gemm::down).blocks;
  for (std::size_t i = 0; i < streams_.rows() * blocks; ++i) {
    send_hidden(i / blocks, block, i % blocks);
    if (!call_.is_summand) send_residual(i / blocks, block, i % blocks);
  }
}

void LayerBuilder::send_hidden(std::size_t row, std::size_t block, std::size_t tile_block) {
  const GemmGeometry& gemm = g_.gemm(Gemm::down);
  const Passed& p = panels_[row].hidden;
  if (hidden_stays()) {
    const int all = static_cast<int>(streams_.columns());  // each core passes its tiles on at once
    streams_.a_from_panel(
        row, p.panel.at(0, kElementBytes, {}, kElementBytes), gemm.k_tiles,
        tile_block == 0 ? LockUse{p.full, all, LockMode::once} : LockUse{},
        tile_block + 1 == gemm.blocks ? LockUse{p.free, all, LockMode::once} : LockUse{});
    return;
  }
  const std::size_t up_tiles = g_.gemm(Gemm::up).blocks * streams_.columns();
  Wait wait;
  if (call_.has(LayerOp::up)) wait = {hidden_tokens_[row], (block + 1) * up_tiles};
  const std::uint64_t offset = g_.hidden_offset + panel_of(block, row) * up_tiles * kElementBytes;
  streams_.a_from_ddr(row, argument(LayerArgument::scratch, offset, kElementBytes, kElementBytes),
                      gemm.k_tiles, wait);
}

// down's residual: the states between the two halves of the layer, one tile a column.
void LayerBuilder::send_residual(std::size_t row, std::size_t block, std::size_t tile_block) {
  const bool is_last = tile_block + 1 == g_.gemm(Gemm::down).blocks;
  const std::uint32_t tile = u32(state_tile_bytes());
  const std::uint64_t first = tile_block * streams_.columns() * state_tile_bytes();
  const Passed& middle = panels_[row].middle;
  if (call_.has(LayerOp::out)) {
    streams_.a_from_panel(
        row, middle.panel.at(first, tile, {}, tile), streams_.columns(), {},
        is_last ? LockUse{middle.free, static_cast<int>(state_tiles()), LockMode::once}
                : LockUse{});
    return;
  }
  const std::uint64_t panel = panel_of(block, row) * state_tiles() * state_tile_bytes();
  streams_.a_from_ddr(
      row, argument(LayerArgument::scratch, g_.states_offset + panel + first, tile, tile),
      streams_.columns(), {});
}

// Queries and keys as left operands, values as right operand; keys and values of 32 rows together.
void LayerBuilder::store_query_key_value(Blocks blocks) {
  // A block of result tiles for each row block, then the next.
  const std::size_t columns = streams_.columns();
  for (std::size_t i = 0; i < g_.gemm(Gemm::qkv).blocks * blocks.count * columns; ++i) {
    const std::size_t tile_block = i / columns / blocks.count;
    store_query_key_value(tile_block * columns + i % columns,
                          blocks.first + i / columns % blocks.count);
  }
}

void LayerBuilder::store_query_key_value(std::size_t tile, std::size_t block) {
  const std::size_t third = g_.shape.heads * tiles_a_head();
  const bool is_value = tile >= 2 * third && tile < 3 * third;
  const std::size_t n = g_.gemm(Gemm::qkv).n;
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    streams_.c_to_ddr(row, tile % streams_.columns(),
                      {is_value ? as_right_operand(n) : as_left_operand(n),
                       query_key_value_place(tile, panel_of(block, row) * kPanelRows), qkv_token_});
  }
}

// Result tile `tile` of qkv: the queries of a head or a part of it, the keys, the values, or
// padding. A part is some of the blocks that lie side by side, in every row of blocks.
Access LayerBuilder::query_key_value_place(std::size_t tile, std::size_t first_row) const {
  const GemmGeometry& gemm = g_.gemm(Gemm::qkv);
  const std::size_t third = g_.shape.heads * tiles_a_head();
  const std::size_t head = tile % third / tiles_a_head();
  const std::size_t part = tile % tiles_a_head();
  const bool is_value = tile >= 2 * third;
  const std::size_t block_rows = is_value ? 8 : 4;
  const std::uint32_t run = u32(block_rows * gemm.n * 2);
  Access to = argument(LayerArgument::scratch, g_.padding_offset, u32(kPanelRows * gemm.n * 2));
  if (tile >= 3 * third) return to;
  if (tile < third) {
    to.offset = g_.query_offset + (head * g_.rows + first_row) * kHeadWidth * 2 + part * run;
    if (tiles_a_head() > 1) {
      to.run = run;
      to.dims = {{u32(kPanelRows / block_rows), i64(block_rows * kHeadWidth * 2)}};
    }
    return to;
  }
  to.offset = g_.key_value_offset + (head * g_.key_blocks + first_row / kKeys) * kElementBytes +
              (is_value ? kElementBytes / 2 : 0) + part * run;
  to.run = kElementBytes / 2;
  if (tiles_a_head() > 1) {
    to.run = run;
    to.dims = {{u32(kKeys / block_rows), i64(block_rows * kHeadWidth * 2)}};
  }
  to.dims.push_back({kPanelRows / kKeys, kElementBytes});
  return to;
}

void LayerBuilder::store_hidden(std::size_t block) {
  const std::size_t tiles = g_.gemm(Gemm::up).blocks * streams_.columns();
  for (std::size_t i = 0; i < tiles * streams_.rows(); ++i) {
    const std::size_t tile = i / streams_.rows();
    const std::size_t row = i % streams_.rows();
    const std::size_t column = tile % streams_.columns();
    if (hidden_stays()) {
      const Passed& p = panels_[row].hidden;
      const bool is_first = tile < streams_.columns();
      const bool is_last = tile + streams_.columns() >= tiles;
      streams_.c_to_panel(row, column,
                          {p.panel.at(tile * kElementBytes, 8, kToLeftOperand),
                           is_first ? LockUse{p.free, 1, LockMode::each} : LockUse{},
                           is_last ? LockUse{p.full, 1, LockMode::each} : LockUse{}});
      continue;
    }
    const std::uint64_t index = panel_of(block, row) * tiles + tile;
    streams_.c_to_ddr(
        row, column,
        {as_left_operand(g_.gemm(Gemm::up).n),
         argument(LayerArgument::scratch, g_.hidden_offset + index * kElementBytes, kElementBytes),
         hidden_tokens_[row]});
  }
}

void LayerBuilder::store_states(std::size_t block, LayerArgument to, std::uint64_t offset) {
  const std::uint32_t bytes = u32(state_tile_bytes());
  for (std::size_t tile = 0; tile < state_tiles(); ++tile) {
    for (std::size_t row = 0; row < streams_.rows(); ++row) {
      const std::uint64_t index = panel_of(block, row) * state_tiles() + tile;
      streams_.c_to_ddr(
          row, tile % streams_.columns(),
          {read_order(bytes, {}), argument(to, offset + index * bytes, bytes), kNone});
    }
  }
}

void LayerBuilder::keep_middle() {
  for (std::size_t tile = 0; tile < state_tiles(); ++tile) {
    for (std::size_t row = 0; row < streams_.rows(); ++row) {
      const Passed& p = panels_[row].middle;
      streams_.c_to_panel(row, tile % streams_.columns(),
                          {p.panel.at(tile * state_tile_bytes(), u32(state_tile_bytes())),
                           {p.free, 1, LockMode::each},
                           {p.full, 1, LockMode::each}});
    }
  }
}

}  // namespace wnpu::npu
