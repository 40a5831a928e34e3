#include <algorithm>
#include <cstdlib>
#include <utility>

#include "npu/control/channel_tasks.h"
#include "npu/design/descriptor.h"
#include "npu/sim/check_parts.h"

namespace wnpu::npu {
namespace {

// First byte and the byte after the last of an element, relative to its address.
std::pair<std::int64_t, std::int64_t> extent_of(const Access& a) {
  std::int64_t low = 0;
  std::int64_t high = a.run;
  for (const Dimension& dim : a.dims) {
    const std::int64_t reach = dim.stride * (std::int64_t{dim.count} - 1);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

// Looks at one channel's transfers.
class TransferChecker {
 public:
  TransferChecker(const Design& design, std::size_t channel, Problems& problems)
      : d_(design), index_(channel), channel_(design.channels[channel]), problems_(problems) {}

  void run() {
    const std::vector<Transfer>& queue = d_.transfers[index_];
    if (channel_.tile.kind == TileKind::core) {
      if (!queue.empty()) {
        problems_.add(tile_name(channel_.tile) + ": expected no transfers of a core's channel, " +
                      "which its program moves, found " + std::to_string(queue.size()));
      }
      return;
    }
    for (std::size_t i = 0; i < queue.size() && !problems_.is_enough(); ++i) {
      transfer_ = i;
      check(queue[i]);
    }
  }

 private:
  // The transfer that is looked at, in messages.
  std::string where() const {
    return tile_name(channel_.tile) + ": transfer " + std::to_string(transfer_) + " of link " +
           d_.links[d_.transfers[index_][transfer_].link].name;
  }

  const DmaLimits& limits() const {
    return channel_.tile.kind == TileKind::shim ? d_.target->shim_dma : d_.target->mem_dma;
  }

  void check(const Transfer& t) {
    if (!check_shape(t)) return;
    check_end(t);
    const DescriptorFit fit = fit_descriptor(t.access, limits());
    if (!fit.fault.empty()) problems_.add(where() + ": " + fit.fault);
    check_element(t);
    check_bounds(t);
    if (check_memory(t) && channel_.tile.kind == TileKind::mem) check_tiles(t);
    check_lock(t.acquire, "takes");
    check_lock(t.release, "gives");
    check_tokens(t);
  }

  // Numbers that other checks divide by or look up.
  bool check_shape(const Transfer& t) {
    const bool has_memory = t.access.memory < d_.memories.size();
    const bool has_bytes = t.access.bytes() > 0;
    if (t.elements == 0) problems_.add(where() + ": expected one element or more, found 0");
    if (!has_bytes) problems_.add(where() + ": expected elements of a word or more, found 0 bytes");
    if (!has_memory) {
      problems_.add(where() + ": expected one of " + std::to_string(d_.memories.size()) +
                    " memories, found number " + std::to_string(t.access.memory));
    }
    return t.elements > 0 && has_bytes && has_memory;
  }

  // The transfer belongs to a link that begins or ends here.
  void check_end(const Transfer& t) {
    const Link& link = d_.links[t.link];
    const bool is_end = channel_.direction == Direction::mm2s
                            ? link.source == index_
                            : std::ranges::find(link.sinks, index_) != link.sinks.end();
    if (!is_end) problems_.add(where() + ": expected a link of this channel, found another's");
  }

  void check_element(const Transfer& t) {
    const Link& link = d_.links[t.link];
    const bool is_cores = d_.channels[link.source].tile.kind == TileKind::core ||
                          d_.channels[link.sinks.front()].tile.kind == TileKind::core;
    problems_.at_most([&] { return where() + ": element"; }, link.element_bytes, t.stream_bytes(),
                      " bytes");
    if (is_cores && t.stream_bytes() < link.element_bytes) {
      problems_.add(where() + ": expected elements of " + std::to_string(link.element_bytes) +
                    " bytes, the length of a core's descriptors, found " +
                    std::to_string(t.stream_bytes()) + " bytes");
    }
    if (t.padding % 4 != 0) problems_.add(where() + ": expected padding of whole words of 4 bytes");
    const auto step = static_cast<std::uint64_t>(std::abs(t.access.step));
    if (t.elements > 1)
      problems_.at_most([&] { return where() + ": step"; }, limits().max_stride, step, " bytes");
  }

  // No element may touch a byte outside its memory.
  void check_bounds(const Transfer& t) {
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
    problems_.add(where() + ": expected bytes 0 to " + std::to_string(memory.bytes) + " of " +
                  memory.name + ", found " + std::to_string(begin) + " to " + std::to_string(end));
  }

  // A shim moves arguments, a mem tile what mem tiles hold.
  bool check_memory(const Transfer& t) {
    const Memory& memory = d_.memories[t.access.memory];
    const bool is_shim = channel_.tile.kind == TileKind::shim;
    if (memory.is_argument == is_shim) return true;
    problems_.add(where() + ": expected " + (is_shim ? "an argument" : "memory of mem tiles") +
                  ", found " + memory.name);
    return false;
  }

  // A mem tile's channel reaches its own and the adjoining tiles' memory, its last channels their
  // own tile's alone; and an element lies in one tile, for a descriptor has one base address.
  void check_tiles(const Transfer& t) {
    const Memory& memory = d_.memories[t.access.memory];
    const auto tile_bytes = static_cast<std::int64_t>(d_.target->mem_tile_bytes);
    const auto [low, high] = extent_of(t.access);
    for (std::uint32_t e = 0; e < t.elements; ++e) {
      const auto address = static_cast<std::int64_t>(t.access.address(e));
      const auto first = memory.first_tile.column + static_cast<int>((address + low) / tile_bytes);
      const auto last =
          memory.first_tile.column + static_cast<int>((address + high - 1) / tile_bytes);
      if (first != last) {
        problems_.add(where() + ": expected an element in one mem tile, found one in mem(" +
                      std::to_string(first) + ") and mem(" + std::to_string(last) + ")");
        return;
      }
      if (std::abs(first - channel_.tile.column) > reach()) {
        problems_.add(where() + ": channel " + std::to_string(channel_.index) + ": expected " +
                      (reach() == 0 ? "memory of its own tile" : "memory of adjoining tiles") +
                      ", found that of mem(" + std::to_string(first) + ")");
        return;
      }
    }
  }

  int reach() const { return channel_.index < limits().far_channels ? 1 : 0; }

  void check_lock(const LockUse& use, const char* what) {
    if (use.lock == kNone) return;
    if (use.lock >= d_.locks.size()) {
      problems_.add(where() + ": " + what + " a lock: expected one of " +
                    std::to_string(d_.locks.size()) + ", found number " + std::to_string(use.lock));
      return;
    }
    const Lock& lock = d_.locks[use.lock];
    problems_.between([&] { return where() + ": " + what + " lock " + lock.name; }, 1,
                      kMaxLockValue, use.count);
    const bool is_near = lock.tile.kind == channel_.tile.kind &&
                         std::abs(lock.tile.column - channel_.tile.column) <= reach();
    if (is_near) return;
    problems_.add(where() + ": " + what + " lock " + lock.name + ": expected a lock of " +
                  (reach() == 0 ? "its own tile" : "adjoining mem tiles") + ", found one of " +
                  tile_name(lock.tile));
  }

  // Waits are the controller's, which gives tasks to shims while all else runs by its locks.
  void check_tokens(const Transfer& t) {
    const auto check_one = [&](std::size_t token) {
      if (token == kNone || token < d_.n_tokens) return;
      problems_.add(where() + ": token: expected one of " + std::to_string(d_.n_tokens) +
                    ", found number " + std::to_string(token));
    };
    check_one(t.wait_token);
    check_one(t.signal_token);
  }

  const Design& d_;
  std::size_t index_;
  const Channel& channel_;
  Problems& problems_;
  std::size_t transfer_ = 0;  // of the channel's
};

std::string register_fault(TileKind kind, const BufferDescriptor& descriptor) {
  try {
    encode_descriptor(kind, descriptor);
    return "";
  } catch (const ControlError& error) {
    return error.what();
  }
}

// The descriptors of each task are within the channel's own, and registers hold them.
void check_channel_descriptors(const Design& d, std::size_t channel, Problems& problems) {
  const Channel& c = d.channels[channel];
  for (const ChannelTask& task : channel_tasks(d, channel)) {
    if (problems.is_enough()) return;
    const auto where = [&] {
      return port_name({c.tile, c.direction, c.index}) + ": task of transfer " +
             std::to_string(task.transfer);
    };
    problems.at_most(where, static_cast<std::uint64_t>(c.descriptors), task.chain.size(),
                     " descriptors");
    for (const TaskDescriptor& descriptor : task.chain) {
      const std::string fault = register_fault(c.tile.kind, descriptor.content);
      if (!fault.empty()) problems.add(where() + ": " + fault);
    }
  }
}

}  // namespace

void check_transfers(const Design& design, Problems& problems) {
  for (std::size_t i = 0; i < design.transfers.size(); ++i) {
    TransferChecker(design, i, problems).run();
  }
}

void check_descriptors(const Design& design, Problems& problems) {
  for (std::size_t i = 0; i < design.transfers.size(); ++i) {
    if (design.channels[i].tile.kind == TileKind::core) continue;
    check_channel_descriptors(design, i, problems);
  }
}

}  // namespace wnpu::npu
