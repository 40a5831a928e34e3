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
    overlay_.halves = design.target->halves;
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

  // DDR to mem tiles: A for its row, B for its column; keys and values share the B channel of a
  // half's first column and every sink of its columns by packet.
  void add_inputs() {
    for (int m = 0; m < overlay_.rows; ++m) {
      const std::string at = std::to_string(m);
      const auto a_source = channel(shim(m), Direction::mm2s, 0, kShim);
      const auto a_sink = channel(mem(m), Direction::s2mm, 0, kMemRing);
      overlay_.a_in.push_back(link("a_in" + at, a_source, {a_sink}));
      const auto source = channel(shim(m), Direction::mm2s, 1, kShim);
      const auto sink = channel(mem(m), Direction::s2mm, 1, kMemRing);
      overlay_.b_in.push_back(link("b_in" + at, source, {sink}));
      design_.links.back().packet_id = m + 1;
    }
    for (int half = 0; half < overlay_.halves; ++half) add_keys_and_values(half);
  }

  void add_keys_and_values(int half) {
    const auto columns = static_cast<std::size_t>(overlay_.columns);
    const std::size_t first = static_cast<std::size_t>(half) * columns;
    std::vector<std::size_t> sinks;
    for (std::size_t m = first; m < first + columns; ++m) {
      sinks.push_back(design_.links[overlay_.b_in[m]].sinks.front());
    }
    const std::string at = half == 0 ? "" : std::to_string(half);
    overlay_.b_all.push_back(
        link("b_all" + at, design_.links[overlay_.b_in[first]].source, std::move(sinks)));
    design_.links.back().packet_id = half * (overlay_.rows + 1);
  }

  void add_cores() {
    const int array_rows = design_.target->array_rows();
    std::vector<std::vector<std::size_t>> a_sinks(static_cast<std::size_t>(overlay_.rows));
    std::vector<std::vector<std::size_t>> b_sinks(static_cast<std::size_t>(overlay_.rows));
    for (int row = 0; row < overlay_.rows; ++row) {
      for (int column = 0; column < overlay_.columns; ++column) {
        const int array_column = row / array_rows * overlay_.columns + column;
        const TileId core{TileKind::core, array_column, row % array_rows};
        a_sinks[static_cast<std::size_t>(row)].push_back(
            channel(core, Direction::s2mm, 0, kCoreIn));
        b_sinks[static_cast<std::size_t>(array_column)].push_back(
            channel(core, Direction::s2mm, 1, kCoreIn));
        const auto source = channel(core, Direction::mm2s, 0, kCoreOut);
        const auto sink = channel(mem(row), Direction::s2mm, 2 + column, kMemFromCore);
        overlay_.c_core.push_back(
            link("c" + std::to_string(row) + "," + std::to_string(column), source, {sink}));
      }
    }
    for (int row = 0; row < overlay_.rows; ++row) {
      const auto source = channel(mem(row), Direction::mm2s, 0, kMemRing);
      overlay_.a_row.push_back(
          link("a_row" + std::to_string(row), source, a_sinks[static_cast<std::size_t>(row)]));
    }
    for (int column = 0; column < overlay_.rows; ++column) {
      const auto source = channel(mem(column), Direction::mm2s, 1, kMemRing);
      overlay_.b_column.push_back(link("b_column" + std::to_string(column), source,
                                       b_sinks[static_cast<std::size_t>(column)]));
    }
  }

  void add_outputs() {
    for (int m = 0; m < overlay_.rows; ++m) {
      const auto source = channel(mem(m), Direction::mm2s, 2, kMemOut);
      const auto sink = channel(shim(m), Direction::s2mm, 0, kShim);
      overlay_.c_out.push_back(link("c_out" + std::to_string(m), source, {sink}));
    }
  }

  // Tasks are given to shims and mem tiles.
  void add_token_routes() {
    for (int column = 0; column < overlay_.rows; ++column) {
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
