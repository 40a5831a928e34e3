#include "npu/sim/check.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "npu/control/call_start.h"
#include "npu/design/resident.h"
#include "npu/sim/check_parts.h"
#include "npu/sim/compile_call.h"
#include "npu/sim/order/order_check.h"

namespace wnpu::npu {
namespace {

using TileKey = std::tuple<TileKind, int, int>;

TileKey key(TileId tile) { return {tile.kind, tile.column, tile.row}; }
TileId checked_tile(const TileKey& k) { return {std::get<0>(k), std::get<1>(k), std::get<2>(k)}; }

// Collects the messages of one Design's checks.
class Checker {
 public:
  explicit Checker(const Design& design) : d_(design), target_(*design.target) {}

  std::vector<std::string> run() {
    check_references();
    if (!problems_.is_empty()) return problems_.take();
    check_core_memory();
    check_core_locks();
    check_channels();
    check_streams(d_, problems_);
    check_regions();
    check_locks();
    check_transfers(d_, problems_);
    check_phases();
    if (problems_.is_empty()) check_descriptors(d_, problems_);
    if (problems_.is_empty()) check_progress();
    return problems_.take();
  }

 private:
  const DmaLimits& limits(TileKind kind) const {
    if (kind == TileKind::core) return target_.core_dma;
    return kind == TileKind::mem ? target_.mem_dma : target_.shim_dma;
  }

  // Indices into the Design's own lists.
  void check_references() {
    if (d_.core.buffers.size() <= kPorts) {
      problems_.add("core memory: expected buffers of the ports and the headers, found " +
                    std::to_string(d_.core.buffers.size()));
    }
    const auto exists = [&](const std::string& what, std::size_t index, std::size_t count) {
      if (index < count) return;
      problems_.add(what + ": expected one of " + std::to_string(count) + ", found number " +
                    std::to_string(index));
    };
    for (const Link& link : d_.links) {
      exists("link " + link.name + ": channel", link.source, d_.channels.size());
      for (const std::size_t sink : link.sinks) {
        exists("link " + link.name + ": channel", sink, d_.channels.size());
      }
      if (link.sinks.empty()) problems_.add("link " + link.name + ": expected a sink, found none");
    }
    for (const Region& r : d_.regions) {
      exists("region " + r.name + ": memory", r.memory, d_.memories.size());
    }
    if (d_.transfers.size() != d_.channels.size()) {
      problems_.add("transfers: expected a list for each of " + std::to_string(d_.channels.size()) +
                    " channels, found " + std::to_string(d_.transfers.size()));
    }
    for (const auto& queue : d_.transfers) {
      for (const Transfer& t : queue) exists("transfer: link", t.link, d_.links.size());
    }
  }

  // All cores are alike, so core(0,0) speaks for them.
  void check_core_memory() {
    const std::string core = tile_name({TileKind::core, 0, 0});
    const auto size = [](const CoreBuffer& b) {
      return b.bytes * static_cast<std::size_t>(b.depth);
    };
    std::vector<CoreBuffer> buffers = d_.core.buffers;
    buffers.push_back({"stack", d_.core.stack_offset, d_.core.stack_bytes, 1});
    std::size_t used = d_.core.table_bytes;
    for (const CoreBuffer& b : buffers) used += size(b);
    problems_.at_most(core + ": data memory (buffers, tables and stack)", target_.core_memory_bytes,
                      used, " bytes");
    std::ranges::sort(buffers, {}, &CoreBuffer::offset);
    std::size_t end = 0;
    for (const CoreBuffer& b : buffers) {
      const std::string name = core + ": buffer " + b.name;
      if (b.offset % target_.vector_bytes != 0) {
        problems_.add(name + ": expected an offset on " + std::to_string(target_.vector_bytes) +
                      " bytes, found " + std::to_string(b.offset));
      }
      if (b.offset < end) {
        problems_.add(name + ": expected to begin at " + std::to_string(end) + " or later, found " +
                      std::to_string(b.offset) + ": it overlaps");
      }
      end = b.offset + size(b);
    }
    problems_.at_most(core + ": data memory: buffers end at byte", target_.core_memory_bytes, end,
                      "");
    problems_.at_most(core + ": program memory", target_.core_program_bytes, d_.core.program_bytes,
                      " bytes");
  }

  // A lock for each purpose.
  void check_core_locks() {
    std::vector<int> ids{d_.core.header_lock};
    for (const PortLocks& locks : d_.core.locks) {
      ids.push_back(locks.free);
      ids.push_back(locks.full);
    }
    const std::string core = tile_name({TileKind::core, 0, 0});
    std::ranges::sort(ids);
    problems_.between(core + ": locks", 0, target_.core_dma.locks - 1, ids.front());
    problems_.between(core + ": locks", 0, target_.core_dma.locks - 1, ids.back());
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice == ids.end()) return;
    problems_.add(core + ": expected a lock for each port's end and for the headers, found lock " +
                  std::to_string(*twice) + " twice");
  }

  void check_channels() {
    std::map<TileKey, std::array<int, 2>> descriptors;  // mem tiles: even and odd channels
    std::map<std::tuple<TileKey, Direction, int>, int> seen;
    for (const Channel& c : d_.channels) {
      check_tile(c.tile, "channel");
      const DmaLimits& dma = limits(c.tile.kind);
      const bool is_in = c.direction == Direction::s2mm;
      problems_.at_most(tile_name(c.tile) + ": " + (is_in ? "s2mm" : "mm2s") + " channels",
                        static_cast<std::uint64_t>(is_in ? dma.s2mm_channels : dma.mm2s_channels),
                        static_cast<std::uint64_t>(c.index) + 1, " channels");
      if (++seen[{key(c.tile), c.direction, c.index}] == 2) {
        problems_.add(tile_name(c.tile) + ": channel " + std::to_string(c.index) +
                      " is declared twice");
      }
      const bool is_odd = c.tile.kind == TileKind::mem && c.index % 2 == 1;
      descriptors[key(c.tile)][is_odd ? 1 : 0] += c.descriptors;
    }
    for (const auto& [tile, n] : descriptors) check_descriptors_of(checked_tile(tile), n);
  }

  // Even and odd channels of a mem tile each reach one half of its descriptors (EMU
  // dma-reference.md); other tiles share all.
  void check_descriptors_of(TileId tile, const std::array<int, 2>& n) {
    const auto all = static_cast<std::uint64_t>(limits(tile.kind).buffer_descriptors);
    const bool is_mem = tile.kind == TileKind::mem;
    for (std::size_t odd = 0; odd < 2; ++odd) {
      const std::string of = !is_mem ? "" : odd == 1 ? " of odd channels" : " of even channels";
      problems_.at_most(tile_name(tile) + ": buffer descriptors" + of, is_mem ? all / 2 : all,
                        static_cast<std::uint64_t>(n[odd]), " descriptors");
    }
  }

  void check_tile(TileId tile, const std::string& what) {
    const int rows = tile.kind == TileKind::core ? target_.array_rows() : 1;
    const int columns = target_.all_columns();
    if (tile.column >= 0 && tile.column < columns && tile.row >= 0 && tile.row < rows) {
      return;
    }
    problems_.add(what + ": expected a tile of " + std::to_string(columns) + " columns and " +
                  std::to_string(rows) + " rows, found " + tile_name(tile));
  }

  void check_regions() {
    for (std::size_t i = 0; i < d_.regions.size(); ++i) {
      const Region& r = d_.regions[i];
      const Memory& memory = d_.memories[r.memory];
      problems_.at_most(tile_name(memory.first_tile) + ": region " + r.name + " ends in memory of",
                        memory.bytes, r.offset + r.bytes, " bytes");
      for (std::size_t j = 0; j < i; ++j) check_apart(r, d_.regions[j]);
    }
    for (const Memory& m : d_.memories) {
      if (m.is_argument) continue;
      check_tile(m.first_tile, "memory " + m.name);
      problems_.at_most(tile_name(m.first_tile) + ": memory " + m.name,
                        static_cast<std::uint64_t>(m.n_tiles) * target_.mem_tile_bytes, m.bytes,
                        " bytes");
    }
  }

  void check_apart(const Region& r, const Region& other) {
    const bool is_apart = r.memory != other.memory || (r.eras & other.eras) == 0 ||
                          r.offset + r.bytes <= other.offset ||
                          other.offset + other.bytes <= r.offset;
    if (is_apart) return;
    problems_.add(tile_name(d_.memories[r.memory].first_tile) + ": region " + r.name +
                  " overlaps region " + other.name + " at byte " +
                  std::to_string(std::max(r.offset, other.offset)));
  }

  void check_locks() {
    std::map<TileKey, std::uint64_t> locks;
    for (const Lock& lock : d_.locks) {
      check_tile(lock.tile, "lock " + lock.name);
      ++locks[key(lock.tile)];
      problems_.at_most(tile_name(lock.tile) + ": initial value of lock " + lock.name,
                        kMaxLockValue, static_cast<std::uint64_t>(lock.initial), "");
    }
    for (const auto& [tile, n] : locks) {
      const TileId id = checked_tile(tile);
      problems_.at_most(tile_name(id) + ": locks",
                        static_cast<std::uint64_t>(limits(id.kind).locks), n, " locks");
    }
  }

  // Headers, results and parameters of all phases fit the buffers that the resident program has for
  // them.
  void check_phases() {
    const std::size_t words = d_.core.buffers[kPorts].bytes / sizeof(std::uint32_t);
    const std::size_t room = words == 0 ? 0 : (words - 1) / kPhaseWords;
    problems_.at_most(tile_name({TileKind::core, 0, 0}) + ": headers", room, d_.phases.size(),
                      " phases");
    for (const Phase& phase : d_.phases) check_phase(phase);
  }

  void check_phase(const Phase& phase) {
    const std::string fault = header_fault(phase);
    if (!fault.empty()) {
      problems_.add(tile_name({TileKind::core, 0, 0}) + ": phase " + phase.name + ": " + fault);
      return;
    }
    const CallHeader call{1, 0, static_cast<std::uint32_t>(target_.columns)};
    for (const Step& step : phase_steps(phase, call)) {
      if (step.kind == Step::Kind::compute || step.bytes == 0) continue;
      const CoreBuffer& buffer = d_.core.buffers[static_cast<std::size_t>(step.port)];
      if (step.bytes <= buffer.bytes) continue;
      problems_.at_most(tile_name({TileKind::core, 0, 0}) + ": phase " + phase.name +
                            ": element of port " + buffer.name,
                        buffer.bytes, step.bytes, " bytes");
      return;
    }
    const std::string kernel_fault = phase_fault(phase);
    if (kernel_fault.empty()) return;
    problems_.add(tile_name({TileKind::core, 0, 0}) + ": phase " + phase.name + ": " +
                  kernel_fault);
  }

  // A dry run of the time model ends only if no stream waits for ever, and under its control
  // program only if the controller does not; its clock does not matter. The program's registers do
  // not say whose words a sink of two sources takes next: that they come as the Design says is
  // looked at afterwards.
  void check_progress() {
    try {
      OrderCheck order(d_);
      const TimedCall timed = time_call(d_, find_preset(usual_preset(target_)), true, &order);
      const std::string fault = moves_fault(d_, timed.report);
      if (!fault.empty()) problems_.add(fault);
      for (const std::string& unordered : order.faults()) {
        problems_.add(d_.name + ": " + unordered);
      }
    } catch (const SimulationError& error) {
      problems_.add(error.what());
    } catch (const ControlError& error) {
      problems_.add(error.what());
    }
  }

  const Design& d_;
  const Target& target_;
  Problems problems_;
};

}  // namespace

std::vector<std::string> check(const Design& design) { return Checker(design).run(); }

}  // namespace wnpu::npu
