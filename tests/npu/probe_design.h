// A small legal Design with one stream more, whose every part a test can set: from a mem tile's
// free channel to a shim's.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "npu/design/layer_design.h"
#include "npu/sim/check.h"

namespace wnpu::tests {

inline npu::Access run_of(std::uint64_t offset, std::uint32_t bytes) {
  return {0, offset, bytes, {}, 0, 0, 0, 0};
}

// 256 bytes from the middle of a mem tile to the beginning of a large argument.
struct Probe {
  int column = 1;
  int channel = 3;  // of the mem tile
  int shim_channel = 1;
  int memory_shift = 0;  // columns from the channel's tile to the memory's
  int lock_shift = 0;
  std::uint32_t elements = 1;
  npu::Access from = run_of(256 * 1024, 256);  // in the mem tile; memory_shift sets its memory
  npu::Access to = run_of(0, 256);             // in DDR
  int acquired = 1;
  int released = 1;
  int initial = 1;        // of the lock that is taken
  int other_initial = 0;  // of the lock that is given
  int packet_id = npu::kCircuit;
  int descriptors = 2;
  std::size_t element_bytes = 8192;
};

inline npu::Design probe_design(const Probe& probe) {
  using namespace npu;
  constexpr std::size_t kOutput = 1;
  constexpr std::size_t kFirstRow = 2;
  Design d = row_design(npu1(), RowOp::gelu, {64, 100});
  d.memories[kOutput].bytes = 256u << 20;
  const TileId mem{TileKind::mem, probe.column, 0};
  const TileId shim{TileKind::shim, probe.column, 0};
  d.channels.push_back({mem, Direction::mm2s, probe.channel, probe.descriptors});
  d.channels.push_back({shim, Direction::s2mm, probe.shim_channel, 1});
  const std::size_t source = d.channels.size() - 2;
  d.links.push_back({"probe", source, {source + 1}, probe.element_bytes, probe.packet_id});
  const TileId lock_tile{TileKind::mem, probe.column + probe.lock_shift, 0};
  d.locks.push_back({lock_tile, "probe taken", probe.initial});
  d.locks.push_back({lock_tile, "probe given", probe.other_initial});
  Transfer from;
  from.link = d.links.size() - 1;
  from.elements = probe.elements;
  from.access = probe.from;
  from.access.memory = kFirstRow + static_cast<std::size_t>(probe.column + probe.memory_shift);
  from.acquire = {d.locks.size() - 2, probe.acquired, LockMode::once};
  from.release = {d.locks.size() - 1, probe.released, LockMode::once};
  Transfer to;
  to.link = from.link;
  to.elements = probe.elements;
  to.access = probe.to;
  to.access.memory = kOutput;
  d.transfers.push_back({from});
  d.transfers.push_back({to});
  return d;
}

inline npu::Access pattern(std::uint64_t offset, std::uint32_t run,
                           std::vector<npu::Dimension> dims, std::int64_t step = 0) {
  npu::Access access = run_of(offset, run);
  access.dims = std::move(dims);
  access.step = step;
  return access;
}

// First problem from check(); empty for a legal Design. Conflicts of order between the probe's
// stream and the row's are left out.
inline std::string first_problem(const npu::Design& design) {
  for (const std::string& problem : npu::check(design)) {
    if (problem.find("that orders them, found none") == std::string::npos) return problem;
  }
  return "";
}

}  // namespace wnpu::tests
