#include "npu/design/overlay.h"

#include <string>

#include "npu/design/resident.h"

namespace wnpu::npu {
namespace {

// Descriptors a channel owns. A ring takes one, that steps through its slots; tasks take up to two
// and are doubled, so that the next is written while one runs. Sums a tile: check().
constexpr int kCoreIn = 2;
constexpr int kCoreOut = 1;
constexpr int kShim = 5;
constexpr int kMemRing = 4;
constexpr int kMemOut = 8;
constexpr int kMemFromCore = 4;

class OverlayBuilder {
 public:
  explicit OverlayBuilder(Design& design) : design_(design) {
    overlay_.rows = design.target->core_rows;
    overlay_.columns = design.target->columns;
    overlay_.tiles_a_row = overlay_.columns / overlay_.rows;
  }

  OverlayLinks build() {
    add_inputs();
    add_cores();
    add_outputs();
    add_token_routes();
    design_.core = core_layout();
    design_.core.program_digest = core_program_digest();
    design_.transfers.resize(design_.channels.size());
    return std::move(overlay_);
  }

 private:
  std::size_t channel(TileId tile, Direction direction, int index, int descriptors) {
    design_.channels.push_back({tile, direction, index, descriptors});
    return design_.channels.size() - 1;
  }
  std::size_t link(const std::string& name, std::size_t source, std::vector<std::size_t> sinks) {
    design_.links.push_back({name, source, std::move(sinks), kElementBytes, kCircuit});
    return design_.links.size() - 1;
  }
  static TileId shim(int column) { return {TileKind::shim, column, 0}; }
  static TileId mem(int column) { return {TileKind::mem, column, 0}; }

  // DDR to mem tiles: A for the first mem tile of a row, B for every column; keys and values share
  // column 0's B channel and every column's sink by packet.
  void add_inputs() {
    std::vector<std::size_t> b_sinks;
    std::size_t first_b_source = 0;
    for (int m = 0; m < overlay_.columns; ++m) {
      const std::string at = std::to_string(m);
      if (m % overlay_.tiles_a_row == 0) {
        const auto source = channel(shim(m), Direction::mm2s, 0, kShim);
        const auto sink = channel(mem(m), Direction::s2mm, 0, kMemRing);
        overlay_.a_in.push_back(link("a_in" + std::to_string(overlay_.row_of(m)), source, {sink}));
      }
      const auto source = channel(shim(m), Direction::mm2s, 1, kShim);
      const auto sink = channel(mem(m), Direction::s2mm, 1, kMemRing);
      overlay_.b_in.push_back(link("b_in" + at, source, {sink}));
      if (m == 0) first_b_source = source;
      b_sinks.push_back(sink);
    }
    overlay_.b_all = link("b_all", first_b_source, b_sinks);
    design_.links[overlay_.b_all].packet_id = 0;
    for (std::size_t m = 0; m < overlay_.b_in.size(); ++m) {
      design_.links[overlay_.b_in[m]].packet_id = static_cast<int>(m) + 1;
    }
  }

  void add_cores() {
    std::vector<std::vector<std::size_t>> a_sinks(static_cast<std::size_t>(overlay_.rows));
    std::vector<std::vector<std::size_t>> b_sinks(static_cast<std::size_t>(overlay_.columns));
    for (int row = 0; row < overlay_.rows; ++row) {
      for (int column = 0; column < overlay_.columns; ++column) {
        const TileId core{TileKind::core, column, row};
        a_sinks[static_cast<std::size_t>(row)].push_back(
            channel(core, Direction::s2mm, 0, kCoreIn));
        b_sinks[static_cast<std::size_t>(column)].push_back(
            channel(core, Direction::s2mm, 1, kCoreIn));
        const int per_tile = overlay_.columns / overlay_.tiles_a_row;
        const auto source = channel(core, Direction::mm2s, 0, kCoreOut);
        const auto sink = channel(mem(overlay_.mem_of(row, column)), Direction::s2mm,
                                  2 + column % per_tile, kMemFromCore);
        overlay_.c_core.push_back(
            link("c" + std::to_string(row) + "," + std::to_string(column), source, {sink}));
      }
    }
    for (int row = 0; row < overlay_.rows; ++row) {
      const auto source = channel(mem(row * overlay_.tiles_a_row), Direction::mm2s, 0, kMemRing);
      overlay_.a_row.push_back(
          link("a_row" + std::to_string(row), source, a_sinks[static_cast<std::size_t>(row)]));
    }
    for (int column = 0; column < overlay_.columns; ++column) {
      const auto source = channel(mem(column), Direction::mm2s, 1, kMemRing);
      overlay_.b_column.push_back(link("b_column" + std::to_string(column), source,
                                       b_sinks[static_cast<std::size_t>(column)]));
    }
  }

  void add_outputs() {
    for (int m = 0; m < overlay_.columns; ++m) {
      const auto source = channel(mem(m), Direction::mm2s, 2, kMemOut);
      const auto sink = channel(shim(m), Direction::s2mm, 0, kShim);
      overlay_.c_out.push_back(link("c_out" + std::to_string(m), source, {sink}));
    }
  }

  // Tasks are given to shims and mem tiles.
  void add_token_routes() {
    for (int column = 0; column < overlay_.columns; ++column) {
      design_.token_routes.push_back({shim(column), kShimTokens});
      design_.token_routes.push_back({mem(column), kMemTokens});
    }
  }

  Design& design_;
  OverlayLinks overlay_;
};

}  // namespace

OverlayLinks add_overlay(Design& design) { return OverlayBuilder(design).build(); }

}  // namespace wnpu::npu
