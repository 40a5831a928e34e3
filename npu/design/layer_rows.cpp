// LayerNorm and attention: the phases whose cores work on rows of their own.
#include "npu/design/layer_builder.h"

namespace wnpu::npu {
namespace {

constexpr LockUse kNoLock{};

}  // namespace

void LayerBuilder::norm(std::size_t which, std::size_t block) {
  Phase phase;
  phase.name = which == 0 ? "norm1" : "norm2";
  phase.kernel = Kernel::layer_norm;
  phase.outer = u32(norm_elements() / streams_.columns());
  phase.m = u32(g_.norm_rows);
  phase.k = u32(g_.shape.width);
  phase.quantised_output = is_int8();
  design_.phases.push_back(phase);
  for (std::size_t row = 0; row < streams_.rows(); ++row) norm_row(which, block, row);
}

void LayerBuilder::norm_row(std::size_t which, std::size_t block, std::size_t row) {
  const RowPanels& p = panels_[row];
  const bool is_here = which == 1 && call_.has(LayerOp::out);
  if (!is_here) load_states(which, block, row);
  const Passed& from = is_here ? p.middle : p.states[block % p.states.size()];
  // Rows out of 4x4 blocks: 4 values, along a tile, over the tiles, down the rows.
  const std::size_t n = g_.state_tile();
  Access rows = from.panel.at(
      0, 8,
      {{u32(n / 4), 32}, {u32(state_tiles()), i64(state_tile_bytes())}, {u32(g_.norm_rows), 8}},
      i64(8 * n));
  if (g_.norm_rows == 2) {  // two elements in a block of four rows
    rows.step = 16;
    rows.wrap = 2;
    rows.wrap_step = i64(8 * n);
  } else if (g_.norm_rows > 4) {  // four elements, a row of each block, in so many blocks
    rows.dims.back().stride = i64(8 * n);
    rows.step = 8;
    rows.wrap = 4;
    rows.wrap_step = i64(8 * n * g_.norm_rows);
  }
  const int tiles = static_cast<int>(state_tiles());
  // The middle states stay: the residual of the feed-forward gives them back.
  streams_.a_from_panel(row, rows, norm_elements(), {from.full, tiles, LockMode::once},
                        is_here ? kNoLock : LockUse{from.free, tiles, LockMode::once});
  for (std::size_t column = 0; column < streams_.columns(); ++column) {
    collect_normed(which, block, row, column);
  }
  if (!call_.has(which == 0 ? LayerOp::qkv : LayerOp::up)) store_normed(which, block, row);
}

void LayerBuilder::load_states(std::size_t which, std::size_t block, std::size_t row) {
  const Passed& to = panels_[row].states[block % panels_[row].states.size()];
  const std::uint64_t panel = panel_of(block, row) * kPanelRows * g_.shape.width * 2;
  const std::uint32_t tile = u32(state_tile_bytes());
  const Access from = which == 0 || call_.is_summand
                          ? argument(LayerArgument::input, panel, tile, tile)
                          : argument(LayerArgument::scratch, g_.states_offset + panel, tile, tile);
  streams_.load_panel(row, {from,
                            to.panel.at(0, tile, {}, tile),
                            state_tiles(),
                            {to.free, 1, LockMode::each},
                            {to.full, 1, LockMode::each},
                            {}});
}

// First row in element e; its other rows follow it, or are in the next blocks of four.
std::size_t LayerBuilder::first_norm_row(std::size_t e) const {
  if (g_.norm_rows <= 4) return e * g_.norm_rows;
  return e / 4 * (4 * g_.norm_rows) + e % 4;
}

// Element e of a panel is made by column e % columns; its rows go into the left operand's 4x8
// blocks: 8 values, along the blocks of a tile, over the tiles, down the rows.
void LayerBuilder::collect_normed(std::size_t which, std::size_t block, std::size_t row,
                                  std::size_t column) {
  const Passed& to = normed(row, which, block);
  const std::size_t element = is_int8() ? 1 : 2;
  const std::size_t depth = is_int8() ? 128 : 64;
  const std::size_t row_bytes = 8 * element;      // a row of a 4x8 block
  const std::size_t group = 4 * depth * element;  // four rows of a tile
  const std::size_t outer = norm_elements() / streams_.columns();
  const LockUse take{to.free, 1, LockMode::each};
  const LockUse give{to.full, 1, LockMode::each};
  const bool is_spread = g_.norm_rows > 4;
  for (std::size_t o = 0; o < outer; ++o) {
    const std::size_t first_row = first_norm_row(o * streams_.columns() + column);
    const std::size_t offset = first_row / 4 * group + first_row % 4 * row_bytes;
    // With int8 the rows' scales follow, and the lock is passed on with them.
    streams_.c_to_panel(row, column,
                        {to.panel.at(offset, u32(row_bytes),
                                     {{u32(depth / 8), i64(4 * row_bytes)},
                                      {u32(g_.shape.width / depth), i64(kElementBytes)},
                                      {u32(g_.norm_rows), i64(is_spread ? group : row_bytes)}}),
                         take, is_int8() ? kNoLock : give});
    if (!is_int8()) continue;
    const Panel& to_scales = panels_[row].scales[which];
    const Access scales =
        is_spread
            ? to_scales.at(first_row * sizeof(float), sizeof(float), {{u32(g_.norm_rows), 16}})
            : to_scales.at(first_row * sizeof(float), u32(g_.norm_rows * sizeof(float)));
    streams_.c_to_panel(row, column, {scales, kNoLock, give});
  }
}

// For a call that ends with LayerNorm: the panel as it is, and its scales behind all panels.
void LayerBuilder::store_normed(std::size_t which, std::size_t block, std::size_t row) {
  const Passed& from = normed(row, which, block);
  const int units = static_cast<int>(normed_units(which));
  const std::size_t link = streams_.overlay().c_out[row];
  const std::size_t panel = panel_of(block, row);
  const auto move = [&](const Access& source, const Access& sink, std::size_t elements,
                        LockUse acquire, LockUse release) {
    streams_.at_source(link, {link, u32(elements), source, acquire, release});
    streams_.at_sink(link, 0, {link, u32(elements), sink, {}, {}});
  };
  const LockUse full{from.full, units, LockMode::once};
  const LockUse free{from.free, units, LockMode::once};
  const std::uint64_t offset = g_.normed_offset + panel * normed_bytes();
  move(from.panel.at(0, kElementBytes, {}, kElementBytes),
       argument(LayerArgument::scratch, offset, kElementBytes, kElementBytes),
       normed_bytes() / kElementBytes, full, is_int8() ? kNoLock : free);
  if (!is_int8()) return;
  const std::uint32_t scales = kPanelRows * sizeof(float);
  move(panels_[row].scales[which].at(0, scales),
       argument(LayerArgument::scratch,
                g_.normed_offset + g_.rows * g_.shape.width * 2 + panel * scales, scales),
       1, kNoLock, free);
}

void LayerBuilder::attend() {
  Phase phase;
  phase.name = "attend";
  phase.kernel = Kernel::attention;
  phase.outer = u32(g_.shape.heads * g_.waves);
  phase.inner = u32(key_blocks());
  phase.m = kQueries;
  phase.k = kHeadWidth;
  phase.n = kKeys;
  phase.valid = u32(g_.shape.frames);
  design_.phases.push_back(phase);
  // A block of keys and values is passed on from wave to wave and is free after the last.
  for (std::size_t mem = 0; mem < streams_.rows(); ++mem) {
    key_value_locks_.emplace_back();
    for (std::size_t wave = 0; wave <= g_.waves; ++wave) {
      key_value_locks_[mem].push_back(streams_.add_lock(mem, "key_values " + std::to_string(wave),
                                                        wave == g_.waves ? key_blocks() : 0));
    }
  }
  send_keys_and_values();
  for (std::size_t head = 0; head < g_.shape.heads; ++head) {
    for (std::size_t wave = 0; wave < g_.waves; ++wave) attend_wave(head, wave);
  }
}

// Attention waits until all queries, keys and values have been written; and the padding tiles,
// since keys and values come into the mem tiles through the channel of their weights.
Wait LayerBuilder::qkv_written() const {
  if (!call_.has(LayerOp::qkv)) return {};
  const std::size_t tiles = g_.gemm(Gemm::qkv).blocks * streams_.columns();
  return {qkv_token_, tiles * g_.rows / kPanelRows};
}

void LayerBuilder::send_keys_and_values() {
  for (std::size_t head = 0; head < g_.shape.heads; ++head) send_keys_and_values(head);
}

// To all mem tiles, where a head's keys and values stay: a broadcast in each half, or each by its
// own stream.
void LayerBuilder::send_keys_and_values(std::size_t head) {
  const OverlayLinks& overlay = streams_.overlay();
  Transfer transfer;
  transfer.elements = u32(key_blocks());
  transfer.access =
      argument(LayerArgument::scratch, g_.key_value_offset + head * g_.key_blocks * kElementBytes,
               kElementBytes, kElementBytes);
  transfer.wait_token = qkv_written().token;
  transfer.wait_count = qkv_written().count;
  for (const std::size_t link : t_.broadcasts_keys ? overlay.b_all : overlay.b_in) {
    streams_.at_source(link, transfer);
  }
  transfer.wait_token = kNone;
  const std::size_t columns = streams_.columns();
  for (std::size_t m = 0; m < streams_.rows(); ++m) {
    transfer.access = key_values_[m].at(0, kElementBytes, {}, kElementBytes);
    transfer.acquire = {key_value_locks_[m][g_.waves], 1, LockMode::each};
    transfer.release = {key_value_locks_[m][0], 1, LockMode::each};
    transfer.signal_token = key_value_token_;
    streams_.at_sink(t_.broadcasts_keys ? overlay.b_all[m / columns] : overlay.b_in[m],
                     t_.broadcasts_keys ? m % columns : 0, transfer);
  }
}

void LayerBuilder::attend_wave(std::size_t head, std::size_t wave) {
  const OverlayLinks& overlay = streams_.overlay();
  for (std::size_t m = 0; m < streams_.rows(); ++m) {
    Transfer blocks;
    blocks.elements = u32(key_blocks());
    blocks.access = key_values_[m].at(0, kElementBytes, {}, kElementBytes);
    blocks.acquire = {key_value_locks_[m][wave], 1, LockMode::each};
    blocks.release = {key_value_locks_[m][wave + 1], 1, LockMode::each};
    streams_.at_source(overlay.b_column[m], blocks);
  }
  constexpr std::uint32_t kQueryBytes = kQueries * kHeadWidth * 2;
  const Wait wait = qkv_written();
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    const std::size_t first = (wave * streams_.rows() + row) * streams_.columns();
    const std::uint64_t offset = (head * g_.rows + first * kQueries) * kHeadWidth * 2;
    streams_.a_from_ddr(
        row, argument(LayerArgument::scratch, g_.query_offset + offset, kQueryBytes, kQueryBytes),
        streams_.columns(), wait);
    for (std::size_t column = 0; column < streams_.columns(); ++column) {
      // 4x4 blocks in, the left operand's 4x8 blocks out.
      const Access order{0, 0, 8, {{2, 32}, {4, 8}, {kQueries * kHeadWidth / 32, 64}}, 0, 0, 0, 0};
      streams_.c_to_ddr(row, column,
                        {order,
                         argument(LayerArgument::scratch,
                                  g_.attention_offset + offset + column * kQueryBytes, kQueryBytes),
                         attention_token_});
    }
  }
}

}  // namespace wnpu::npu
