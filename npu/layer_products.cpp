// The four matrix products: weights down the columns, activations along the rows.
#include "npu/layer_builder.h"

namespace wnpu::npu {
namespace {

std::uint32_t u32(std::size_t value) { return static_cast<std::uint32_t>(value); }
std::int64_t i64(std::size_t value) { return static_cast<std::int64_t>(value); }

// Reading a 64x64 result of 4x4 blocks in the order of the left operand's 4x8 blocks ...
const std::vector<Dimension> kAsLeftOperand{{2, 32}, {4, 8}, {128, 64}};
// ... and writing it that way when it comes in its own order.
const std::vector<Dimension> kToLeftOperand{{4, 16}, {2, 8}, {128, 64}};
// Reading it in the order of the right operand's 8x4 blocks, 32 bytes at a time: the two halves of
// a block are 16 blocks apart.
const std::vector<Dimension> kAsRightOperand{{2, 512}, {16, 32}, {8, 1024}};

Access read_order(std::uint32_t run, std::vector<Dimension> dims) {
  return {0, 0, run, std::move(dims), 0, 0, 0, 0};
}

}  // namespace

void LayerBuilder::product(Gemm which, std::size_t block, Epilogue epilogue) {
  constexpr const char* kNames[kGemms]{"qkv", "out", "up", "down"};
  const GemmGeometry& gemm = g_.gemm(which);
  Phase phase;
  phase.name = kNames[static_cast<std::size_t>(which)];
  phase.kernel = gemm.is_int8 ? Kernel::gemm_int8 : Kernel::gemm_bf16;
  phase.epilogue = epilogue;
  phase.outer = u32(gemm.blocks);
  phase.inner = u32(gemm.k_tiles);
  phase.m = kPanelRows;
  phase.k = u32(gemm.k);
  phase.n = u32(gemm.n);
  design_.phases.push_back(phase);
  send_weights(gemm);
  switch (which) {
    case Gemm::qkv:
      multiply_normed(0, which, block);
      store_query_key_value(block);
      break;
    case Gemm::out:
      multiply_attended(block);
      if (call_.has(LayerOp::norm2)) {
        keep_middle();
      } else {
        store_states(block, LayerArgument::scratch, g_.states_offset);
      }
      break;
    case Gemm::up:
      multiply_normed(1, which, block);
      store_hidden(block);
      break;
    case Gemm::down:
      multiply_hidden(block);
      store_states(block, LayerArgument::output, 0);
      break;
  }
}

// A column's weights in the order in which it multiplies them: all contiguous.
void LayerBuilder::send_weights(const GemmGeometry& gemm) {
  const std::uint32_t tile = u32(gemm.tile_bytes());
  for (std::size_t column = 0; column < streams_.columns(); ++column) {
    std::uint64_t offset = gemm.offset + column * gemm.column_bytes();
    for (std::size_t block = 0; block < gemm.blocks; ++block) {
      streams_.b_from_ddr(column, argument(LayerArgument::weights, offset, kParameterBytes), 1);
      streams_.b_from_ddr(column,
                          argument(LayerArgument::weights, offset + kParameterBytes, tile, tile),
                          gemm.k_tiles);
      offset += gemm.block_bytes();
    }
  }
}

// qkv and up: the normed panel once for every block of result tiles; int8 sends its scales first.
void LayerBuilder::multiply_normed(std::size_t which, Gemm gemm_name, std::size_t block) {
  const GemmGeometry& gemm = g_.gemm(gemm_name);
  const bool is_made_here = call_.has(which == 0 ? LayerOp::norm1 : LayerOp::norm2);
  const int units = static_cast<int>(normed_units(which));
  const std::uint32_t scales = kPanelRows * sizeof(float);
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    const Passed& from = panels_[row].normed[which];
    const Access tiles = from.panel.at(0, kElementBytes, {}, kElementBytes);
    const Access row_scales = panels_[row].scales[which].at(0, scales);
    if (!is_made_here) {
      const std::size_t panel = panel_of(block, row);
      const LockUse take{from.free, 1, LockMode::each};
      const LockUse give{from.full, 1, LockMode::each};
      const auto ddr = [&](std::uint64_t offset, std::uint32_t run) {
        return argument(LayerArgument::scratch, g_.normed_offset + offset, run, run);
      };
      streams_.load_panel(
          row, {ddr(panel * normed_bytes(), kElementBytes), tiles, gemm.k_tiles, take, give, {}});
      if (is_int8()) {
        const std::uint64_t behind = g_.rows * g_.shape.width * 2 + panel * scales;
        streams_.load_panel(row, {ddr(behind, scales), row_scales, 1, take, give, {}});
      }
    }
    LockUse acquire{from.full, units, LockMode::once};
    if (is_int8()) {
      streams_.a_from_panel(row, row_scales, 1, acquire, {});
      acquire = {};
    }
    // The panel goes back to whoever fills it: attention's results if `out` is in this call.
    const bool is_shared = which == 1 && call_.has(LayerOp::out);
    const LockUse give_back =
        is_shared ? LockUse{panels_[row].attended.free,
                            static_cast<int>(g_.gemm(Gemm::out).k_tiles), LockMode::once}
                  : LockUse{from.free, units, LockMode::once};
    for (std::size_t b = 0; b < gemm.blocks; ++b) {
      streams_.a_from_panel(row, tiles, gemm.k_tiles, b == 0 ? acquire : LockUse{},
                            b + 1 == gemm.blocks ? give_back : LockUse{});
    }
  }
}

// out: attention's results are tile k of the left operand for head k. Their panel is normed[1]'s
// afterwards: the last reading frees it for LayerNorm's elements, and up's last reading frees it
// for the next row block's attention results.
void LayerBuilder::multiply_attended(std::size_t block) {
  const GemmGeometry& gemm = g_.gemm(Gemm::out);
  const int heads = static_cast<int>(gemm.k_tiles);
  const bool is_shared = call_.has(LayerOp::norm2);
  Wait wait;
  if (call_.has(LayerOp::attend)) {
    wait = {attention_token_, g_.shape.heads * g_.rows / kQueries};
  }
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    const Passed& p = panels_[row].attended;
    const Access tiles = p.panel.at(0, kElementBytes, {}, kElementBytes);
    const std::uint64_t offset =
        g_.attention_offset + panel_of(block, row) * kPanelRows * kHeadWidth * 2;
    streams_.load_panel(row, {argument(LayerArgument::scratch, offset, kElementBytes,
                                       i64(g_.rows * kHeadWidth * 2)),
                              tiles,
                              gemm.k_tiles,
                              {p.free, 1, LockMode::each},
                              {p.full, 1, LockMode::each},
                              wait});
    const LockUse give_back = is_shared ? LockUse{panels_[row].normed[1].free,
                                                  static_cast<int>(normed_units(1)), LockMode::once}
                                        : LockUse{p.free, heads, LockMode::once};
    for (std::size_t b = 0; b < gemm.blocks; ++b) {
      const bool is_last = b + 1 == gemm.blocks;
      streams_.a_from_panel(row, tiles, gemm.k_tiles,
                            b == 0 ? LockUse{p.full, heads, LockMode::once} : LockUse{},
                            is_last ? give_back : LockUse{});
      const std::uint32_t tile = u32(state_tile_bytes());
      const std::uint64_t x =
          (panel_of(block, row) * state_tiles() + b * streams_.columns()) * state_tile_bytes();
      streams_.a_from_ddr(row, argument(LayerArgument::input, x, tile, tile), streams_.columns(),
                          {});
    }
  }
}

// down: the hidden panel, or the hidden rows in DDR, once for every block of result tiles.
void LayerBuilder::multiply_hidden(std::size_t block) {
  const GemmGeometry& gemm = g_.gemm(Gemm::down);
  const std::size_t up_tiles = g_.gemm(Gemm::up).blocks * streams_.columns();
  const int all = static_cast<int>(streams_.columns());  // each core passes its tiles on at once
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    const Passed& p = panels_[row].hidden;
    for (std::size_t b = 0; b < gemm.blocks; ++b) {
      const bool is_last = b + 1 == gemm.blocks;
      if (hidden_stays()) {
        streams_.a_from_panel(row, p.panel.at(0, kElementBytes, {}, kElementBytes), gemm.k_tiles,
                              b == 0 ? LockUse{p.full, all, LockMode::once} : LockUse{},
                              is_last ? LockUse{p.free, all, LockMode::once} : LockUse{});
      } else {
        Wait wait;
        if (call_.has(LayerOp::up)) wait = {hidden_tokens_[row], (block + 1) * up_tiles};
        const std::uint64_t offset =
            g_.hidden_offset + panel_of(block, row) * up_tiles * kElementBytes;
        streams_.a_from_ddr(row,
                            argument(LayerArgument::scratch, offset, kElementBytes, kElementBytes),
                            gemm.k_tiles, wait);
      }
      send_residual(row, block, b, is_last);
    }
  }
}

// down's residual: the states between the two halves of the layer, one tile a column.
void LayerBuilder::send_residual(std::size_t row, std::size_t block, std::size_t tile_block,
                                 bool is_last) {
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
void LayerBuilder::store_query_key_value(std::size_t block) {
  const GemmGeometry& gemm = g_.gemm(Gemm::qkv);
  const std::size_t heads = g_.shape.heads;
  for (std::size_t tile = 0; tile < gemm.blocks * streams_.columns(); ++tile) {
    for (std::size_t row = 0; row < streams_.rows(); ++row) {
      const std::size_t first_row = panel_of(block, row) * kPanelRows;
      const std::size_t head = tile % heads;
      Access to = argument(LayerArgument::scratch, g_.padding_offset, kElementBytes);
      if (tile < heads) {
        to.offset = g_.query_offset + (head * g_.rows + first_row) * kHeadWidth * 2;
      } else if (tile < 3 * heads) {
        const std::size_t half = tile < 2 * heads ? 0 : kElementBytes / 2;
        to.offset =
            g_.key_value_offset + (head * g_.key_blocks + first_row / kKeys) * kElementBytes + half;
        to.run = kElementBytes / 2;
        to.dims = {{kPanelRows / kKeys, kElementBytes}};
      }
      const bool is_value = tile >= 2 * heads && tile < 3 * heads;
      streams_.c_to_ddr(row, tile % streams_.columns(),
                        {is_value ? read_order(32, kAsRightOperand) : read_order(8, kAsLeftOperand),
                         to, tile < 3 * heads ? qkv_token_ : kNone});
    }
  }
}

void LayerBuilder::store_hidden(std::size_t block) {
  const GemmGeometry& gemm = g_.gemm(Gemm::up);
  for (std::size_t tile = 0; tile < gemm.blocks * streams_.columns(); ++tile) {
    for (std::size_t row = 0; row < streams_.rows(); ++row) {
      const std::size_t column = tile % streams_.columns();
      if (hidden_stays()) {
        const Passed& p = panels_[row].hidden;
        const bool is_first = tile < streams_.columns();
        const bool is_last = tile + streams_.columns() >= gemm.blocks * streams_.columns();
        streams_.c_to_panel(row, column, p.panel.at(tile * kElementBytes, 8, kToLeftOperand), 1,
                            is_first ? LockUse{p.free, 1, LockMode::each} : LockUse{},
                            is_last ? LockUse{p.full, 1, LockMode::each} : LockUse{});
        continue;
      }
      const std::uint64_t index = panel_of(block, row) * gemm.blocks * streams_.columns() + tile;
      streams_.c_to_ddr(row, column,
                        {read_order(8, kAsLeftOperand),
                         argument(LayerArgument::scratch, g_.hidden_offset + index * kElementBytes,
                                  kElementBytes),
                         hidden_tokens_[row]});
    }
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
                          p.panel.at(tile * state_tile_bytes(), u32(state_tile_bytes())), 1,
                          {p.free, 1, LockMode::each}, {p.full, 1, LockMode::each});
    }
  }
}

}  // namespace wnpu::npu
