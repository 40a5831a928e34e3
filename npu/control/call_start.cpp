#include "npu/control/call_start.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wnpu::npu {
namespace {

CoreBuffer header_buffer(const Design& d) { return d.core.buffers.at(kPorts); }

std::vector<std::uint32_t> phase_words(const Design& d) {
  std::vector<std::uint32_t> words(1);  // the call's: header_operations
  for (const Phase& phase : d.phases) {
    const std::string fault = header_fault(phase);
    if (!fault.empty()) throw ControlError(d.name + ": phase " + phase.name + ": " + fault);
    const PhaseWords more = encode_phase(phase);
    words.insert(words.end(), std::begin(more.words), std::end(more.words));
  }
  const std::size_t room = header_buffer(d).bytes / sizeof(std::uint32_t);
  if (words.size() > room || d.phases.size() > kMostInHeader) {
    throw ControlError(d.name + ": phases: expected at most " +
                       std::to_string((room - 1) / kPhaseWords) + ", found " +
                       std::to_string(d.phases.size()));
  }
  return words;
}

}  // namespace

std::string header_fault(const Phase& p) {
  const std::array<std::pair<const char*, std::uint32_t>, 6> fields{{{"outer", p.outer},
                                                                     {"inner", p.inner},
                                                                     {"m", p.m},
                                                                     {"k", p.k},
                                                                     {"n", p.n},
                                                                     {"valid", p.valid}}};
  for (const auto& [name, value] : fields) {
    if (value <= kMostInHeader) continue;
    return std::string(name) + ": expected at most " + std::to_string(kMostInHeader) + ", found " +
           std::to_string(value);
  }
  return "";
}

int lock_id(const Design& d, std::size_t lock) {
  const TileId tile = d.locks[lock].tile;
  return static_cast<int>(std::count_if(d.locks.begin(),
                                        d.locks.begin() + static_cast<std::ptrdiff_t>(lock),
                                        [&](const Lock& other) { return other.tile == tile; }));
}

std::vector<Operation> start_operations(const Design& d) {
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < d.locks.size(); ++i) {
    operations.emplace_back(SetLock{d.locks[i].tile, lock_id(d, i), d.locks[i].initial});
  }
  for (Operation& operation : header_operations(d)) operations.push_back(std::move(operation));
  return operations;
}

std::vector<Operation> header_operations(const Design& d) {
  std::vector<Operation> operations;
  std::vector<std::uint32_t> words = phase_words(d);
  const auto columns = static_cast<std::uint32_t>(d.target->columns);
  for (int row = 0; row < d.target->array_rows(); ++row) {
    for (int column = 0; column < d.target->all_columns(); ++column) {
      const TileId core{TileKind::core, column, row};
      words[0] = encode_call({static_cast<std::uint32_t>(d.phases.size()),
                              static_cast<std::uint32_t>(column) % columns, columns});
      operations.emplace_back(WriteBlock{data_address(core, header_buffer(d).offset), words});
      operations.emplace_back(SetLock{core, d.core.header_lock, 1});
    }
  }
  return operations;
}

}  // namespace wnpu::npu
