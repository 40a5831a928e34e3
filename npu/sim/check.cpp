#include "npu/sim/check.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "npu/design/descriptor.h"
#include "npu/design/resident.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {
namespace {

using TileKey = std::tuple<TileKind, int, int>;

TileKey key(TileId tile) { return {tile.kind, tile.column, tile.row}; }
TileId tile_of(const TileKey& k) { return {std::get<0>(k), std::get<1>(k), std::get<2>(k)}; }

// Collects the messages of one Design's checks.
class Checker {
 public:
  explicit Checker(const Design& design) : d_(design), target_(*design.target) {}

  std::vector<std::string> run() {
    check_core_memory();
    check_channels();
    check_links();
    check_regions();
    check_locks();
    check_transfers();
    check_elements();
    if (problems_.empty()) check_progress();
    return std::move(problems_);
  }

 private:
  void expect(bool is_met, const std::string& what, std::uint64_t allowed, std::uint64_t found,
              const char* unit) {
    if (is_met) return;
    problems_.push_back(what + ": expected at most " + std::to_string(allowed) + unit + ", found " +
                        std::to_string(found) + unit);
  }
  void at_most(const std::string& what, std::uint64_t allowed, std::uint64_t found,
               const char* unit) {
    expect(found <= allowed, what, allowed, found, unit);
  }

  const DmaLimits& limits(TileKind kind) const {
    switch (kind) {
      case TileKind::shim:
        return target_.shim_dma;
      case TileKind::mem:
        return target_.mem_dma;
      case TileKind::core:
        return target_.core_dma;
    }
    return target_.core_dma;
  }

  // All cores are alike, so core(0,0) speaks for them.
  void check_core_memory() {
    const std::string core = tile_name({TileKind::core, 0, 0});
    std::size_t end = 0;
    std::vector<CoreBuffer> buffers = d_.core.buffers;
    std::ranges::sort(buffers, {}, &CoreBuffer::offset);
    for (const CoreBuffer& b : buffers) {
      const std::string name = core + ": buffer " + b.name;
      if (b.offset % target_.vector_bytes != 0) {
        problems_.push_back(name + ": expected an offset on " +
                            std::to_string(target_.vector_bytes) + " bytes, found " +
                            std::to_string(b.offset));
      }
      if (b.offset < end) {
        problems_.push_back(name + ": expected to begin at " + std::to_string(end) +
                            " or later, found " + std::to_string(b.offset) + ": it overlaps");
      }
      end = b.offset + b.bytes * static_cast<std::size_t>(b.depth);
    }
    at_most(core + ": data memory (buffers, tables and stack)", target_.core_memory_bytes,
            end + d_.core.table_bytes + d_.core.stack_bytes, " bytes");
    at_most(core + ": program memory", target_.core_program_bytes, d_.core.program_bytes, " bytes");
  }

  void check_channels() {
    std::map<TileKey, std::array<int, 2>> descriptors;  // mem tiles: even and odd channels
    std::map<std::tuple<TileKey, Direction, int>, int> seen;
    for (const Channel& c : d_.channels) {
      check_tile(c.tile, "channel");
      const DmaLimits& dma = limits(c.tile.kind);
      const bool is_in = c.direction == Direction::s2mm;
      at_most(tile_name(c.tile) + ": " + (is_in ? "s2mm" : "mm2s") + " channels",
              static_cast<std::uint64_t>(is_in ? dma.s2mm_channels : dma.mm2s_channels),
              static_cast<std::uint64_t>(c.index) + 1, " channels");
      if (++seen[{key(c.tile), c.direction, c.index}] == 2) {
        problems_.push_back(tile_name(c.tile) + ": channel " + std::to_string(c.index) +
                            " is declared twice");
      }
      const bool is_odd = c.tile.kind == TileKind::mem && c.index % 2 == 1;
      descriptors[key(c.tile)][is_odd ? 1 : 0] += c.descriptors;
    }
    // Even and odd channels of a mem tile each reach one half of its descriptors (EMU
    // dma-reference.md); other tiles share all.
    for (const auto& [tile, n] : descriptors) {
      const TileId id = tile_of(tile);
      const auto all = static_cast<std::uint64_t>(limits(id.kind).buffer_descriptors);
      const std::uint64_t allowed = id.kind == TileKind::mem ? all / 2 : all;
      for (std::size_t odd = 0; odd < 2; ++odd) {
        at_most(
            tile_name(id) + ": buffer descriptors" +
                (id.kind == TileKind::mem ? (odd == 1 ? " of odd channels" : " of even channels")
                                          : ""),
            allowed, static_cast<std::uint64_t>(n[odd]), " descriptors");
      }
    }
  }

  void check_tile(TileId tile, const std::string& what) {
    const int rows = tile.kind == TileKind::core ? target_.core_rows : 1;
    if (tile.column >= 0 && tile.column < target_.columns && tile.row >= 0 && tile.row < rows) {
      return;
    }
    problems_.push_back(what + ": expected a tile of " + std::to_string(target_.columns) +
                        " columns and " + std::to_string(rows) + " rows, found " + tile_name(tile));
  }

  void check_links() {
    for (const Link& link : d_.links) {
      if (d_.channels[link.source].direction != Direction::mm2s) {
        problems_.push_back("link " + link.name + ": its source is no mm2s channel");
      }
      for (const std::size_t sink : link.sinks) check_sink(link, d_.channels[sink]);
    }
  }

  void check_sink(const Link& link, const Channel& sink) {
    if (sink.direction != Direction::s2mm) {
      problems_.push_back("link " + link.name + ": sink " + tile_name(sink.tile) +
                          " is no s2mm channel");
    }
    if (sink.tile.kind != TileKind::core) return;
    at_most(tile_name(sink.tile) + ": element of link " + link.name,
            d_.core.buffers[static_cast<std::size_t>(sink.index)].bytes, link.max_element_bytes,
            " bytes");
  }

  void check_regions() {
    for (std::size_t i = 0; i < d_.regions.size(); ++i) {
      const Region& r = d_.regions[i];
      const Memory& memory = d_.memories[r.memory];
      at_most(tile_name(memory.first_tile) + ": region " + r.name + " ends in memory of",
              memory.bytes, r.offset + r.bytes, " bytes");
      for (std::size_t j = 0; j < i; ++j) {
        const Region& other = d_.regions[j];
        const bool is_apart = r.memory != other.memory || (r.eras & other.eras) == 0 ||
                              r.offset + r.bytes <= other.offset ||
                              other.offset + other.bytes <= r.offset;
        if (is_apart) continue;
        problems_.push_back(tile_name(memory.first_tile) + ": region " + r.name +
                            " overlaps region " + other.name + " at byte " +
                            std::to_string(std::max(r.offset, other.offset)));
      }
    }
    for (const Memory& m : d_.memories) {
      if (m.is_argument) continue;
      at_most(tile_name(m.first_tile) + ": memory " + m.name,
              static_cast<std::uint64_t>(m.n_tiles) * target_.mem_tile_bytes, m.bytes, " bytes");
    }
  }

  void check_locks() {
    std::map<TileKey, std::uint64_t> locks;
    for (const Lock& lock : d_.locks) {
      ++locks[key(lock.tile)];
      // A lock is a 6-bit signed counter for waiting: values to 63 (AM020 ch. 5).
      at_most(tile_name(lock.tile) + ": initial value of lock " + lock.name, 63,
              static_cast<std::uint64_t>(lock.initial), "");
    }
    for (const auto& [tile, n] : locks) {
      const TileId id = tile_of(tile);
      at_most(tile_name(id) + ": locks", static_cast<std::uint64_t>(limits(id.kind).locks), n,
              " locks");
    }
  }

  void check_transfers() {
    for (std::size_t i = 0; i < d_.transfers.size(); ++i) {
      const Channel& channel = d_.channels[i];
      for (std::size_t t = 0; t < d_.transfers[i].size() && problems_.size() < kEnough; ++t) {
        const std::string where = tile_name(channel.tile) + ": transfer " + std::to_string(t) +
                                  " of link " + d_.links[d_.transfers[i][t].link].name;
        check_access(where, channel.tile, d_.transfers[i][t]);
        if (channel.tile.kind == TileKind::mem) check_tiles(where, channel, d_.transfers[i][t]);
      }
    }
  }

  void check_access(const std::string& where, TileId tile, const Transfer& t) {
    const DmaLimits& dma = limits(tile.kind);
    const Access& a = t.access;
    const DescriptorFit fit = fit_descriptor(a, dma);
    if (!fit.fault.empty()) problems_.push_back(where + ": " + fit.fault);
    at_most(where + ": element", d_.links[t.link].max_element_bytes, a.bytes(), " bytes");
    check_bounds(where, t);
  }

  // No element may touch a byte outside its memory.
  void check_bounds(const std::string& where, const Transfer& t) {
    const auto [low, high] = extent_of(t.access);
    const Memory& memory = d_.memories[t.access.memory];
    std::int64_t end = 0;
    std::int64_t begin = static_cast<std::int64_t>(memory.bytes);
    for (std::uint32_t e = 0; e < t.elements; ++e) {
      const auto address = static_cast<std::int64_t>(t.access.address(e));
      begin = std::min(begin, address + low);
      end = std::max(end, address + high);
    }
    if (begin >= 0 && end <= static_cast<std::int64_t>(memory.bytes)) return;
    problems_.push_back(where + ": expected bytes 0 to " + std::to_string(memory.bytes) + " of " +
                        memory.name + ", found " + std::to_string(begin) + " to " +
                        std::to_string(end));
  }

  // A mem tile's channel reaches its own and the adjoining tiles' memory, its last channels their
  // own tile's alone; and an element lies in one tile, for a descriptor has one base address.
  void check_tiles(const std::string& where, const Channel& channel, const Transfer& t) {
    const Memory& memory = d_.memories[t.access.memory];
    const auto tile_bytes = static_cast<std::int64_t>(target_.mem_tile_bytes);
    const int reach = channel.index < target_.mem_dma.far_channels ? 1 : 0;
    const auto [low, high] = extent_of(t.access);
    for (std::uint32_t e = 0; e < t.elements; ++e) {
      const auto address = static_cast<std::int64_t>(t.access.address(e));
      const auto first = memory.first_tile.column + static_cast<int>((address + low) / tile_bytes);
      const auto last =
          memory.first_tile.column + static_cast<int>((address + high - 1) / tile_bytes);
      if (first != last) {
        problems_.push_back(where + ": expected an element in one mem tile, found one in mem(" +
                            std::to_string(first) + ") and mem(" + std::to_string(last) + ")");
        return;
      }
      if (std::abs(first - channel.tile.column) > reach) {
        problems_.push_back(where + ": channel " + std::to_string(channel.index) + ": expected " +
                            (reach == 0 ? "memory of its own tile" : "memory of adjoining tiles") +
                            ", found that of mem(" + std::to_string(first) + ")");
        return;
      }
    }
  }

  // First byte and the byte after the last of an element, relative to its address.
  static std::pair<std::int64_t, std::int64_t> extent_of(const Access& a) {
    std::int64_t low = 0;
    std::int64_t high = a.run;
    for (const Dimension& dim : a.dims) {
      const std::int64_t reach = dim.stride * (std::int64_t{dim.count} - 1);
      (reach < 0 ? low : high) += reach;
    }
    return {low, high};
  }

  // Results and parameters of every phase fit the buffers that the resident program has for them.
  void check_elements() {
    for (const Phase& phase : d_.phases) {
      if (d_.core.buffers.size() < 3) return;
      check_phase(phase);
    }
  }

  void check_phase(const Phase& phase) {
    for (const Step& step : phase_steps(phase, 0, target_.columns)) {
      if (step.kind == Step::Kind::compute || step.bytes == 0) continue;
      const CoreBuffer& buffer = d_.core.buffers[static_cast<std::size_t>(step.port)];
      if (step.bytes <= buffer.bytes) continue;
      at_most(tile_name({TileKind::core, 0, 0}) + ": phase " + phase.name + ": element of port " +
                  buffer.name,
              buffer.bytes, step.bytes, " bytes");
      return;
    }
  }

  // A dry run of the time model ends only if no stream waits for ever; its clock does not matter.
  void check_progress() {
    const TimePreset preset = find_preset(kDefaultPreset);
    try {
      simulate(d_, {&preset, {}, nullptr, false});
    } catch (const SimulationError& error) {
      problems_.emplace_back(error.what());
    }
  }

  static constexpr std::size_t kEnough = 20;  // messages; more say nothing new
  const Design& d_;
  const Target& target_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> check(const Design& design) { return Checker(design).run(); }

}  // namespace wnpu::npu
