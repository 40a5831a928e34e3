#include "npu/control/channel_tasks.h"

#include <algorithm>
#include <map>
#include <set>

#include "npu/control/call_start.h"
#include "npu/design/descriptor.h"

namespace wnpu::npu {
namespace {

constexpr std::size_t kMaxPeriod = 4;
// Bursts of 256 bytes and the cache attribute that mlir-aie gives a shim's descriptors.
constexpr int kBurst = 2;
constexpr int kCache = 2;

// Part of a transfer that one descriptor moves, or two if padding needs a descriptor of its own.
struct DescriptorPiece {
  const Transfer* transfer = nullptr;
  std::size_t index = 0;      // of the transfer
  std::uint64_t address = 0;  // bytes, of the first; a ring: of its first slot
  std::uint64_t bytes = 0;    // without padding
  std::uint64_t elements = 1;
  std::uint32_t slot = 0;  // of a ring
  LockUse acquire;
  LockUse release;
  bool begins_task = false;

  const Access& access() const { return transfer->access; }
  bool is_ring() const { return access().wrap > 0 && access().wrap_step == 0; }
  bool is_contiguous() const { return access().dims.empty(); }
};

bool same_lock(const LockUse& x, const LockUse& y) {
  return x.lock == y.lock && (x.lock == kNone || x.count == y.count);
}

bool same_pattern(const Access& x, const Access& y) {
  return x.memory == y.memory && x.run == y.run &&
         std::ranges::equal(x.dims, y.dims, [](const Dimension& a, const Dimension& b) {
           return a.count == b.count && a.stride == b.stride;
         });
}

class Compiler {
 public:
  Compiler(const Design& design, std::size_t channel)
      : d_(design), channel_(design.channels[channel]), transfers_(design.transfers[channel]) {}

  std::vector<ChannelTask> run() {
    find_ends();
    for (std::size_t i = 0; i < transfers_.size(); ++i) add_pieces(i);
    std::vector<ChannelTask> tasks;
    for (std::size_t i = 0; i < pieces_.size();) {
      const Cover cover = best_cover(i);
      tasks.push_back(task_of(i, cover));
      i += cover.period * cover.repeats;
    }
    return tasks;
  }

 private:
  struct Cover {
    std::size_t period = 1;
    std::size_t repeats = 1;
  };

  bool is_shim() const { return channel_.tile.kind == TileKind::shim; }
  const DmaLimits& limits() const { return is_shim() ? d_.target->shim_dma : d_.target->mem_dma; }

  // Task ends: after each element that another transfer waits for, since a token is sent at the end
  // of a task. Where several channels count, that is the last element of each (call_program.h).
  void find_ends() {
    std::map<std::size_t, std::vector<std::uint64_t>> counted;  // by token: elements so far
    std::uint64_t n = 0;
    for (const Transfer& t : transfers_) {
      for (std::uint32_t e = 0; e < t.elements; ++e) {
        ++n;
        if (t.signal_token != kNone) counted[t.signal_token].push_back(n);
      }
    }
    for (const auto& queue : d_.transfers) {
      for (const Transfer& t : queue) {
        const auto found = counted.find(t.wait_token);
        if (t.wait_token == kNone || found == counted.end()) continue;
        const std::vector<std::uint64_t>& at = found->second;
        const bool is_within = t.wait_count >= 1 && t.wait_count <= at.size();
        ends_.insert(is_within ? at[t.wait_count - 1] : at.back());
      }
    }
  }

  void add_pieces(std::size_t index) {
    const Transfer& t = transfers_[index];
    for (std::uint32_t e = 0; e < t.elements; ++e) {
      DescriptorPiece p;
      p.transfer = &t;
      p.index = index;
      p.bytes = t.access.bytes();
      p.begins_task = (e == 0 && t.wait_token != kNone) || ends_.contains(n_elements_);
      ++n_elements_;
      p.address = t.access.address(e);
      if (p.is_ring()) {
        p.slot = (t.access.first + e) % t.access.wrap;
        p.address = t.access.offset;
      }
      if (t.acquire.mode == LockMode::each || e == 0) p.acquire = t.acquire;
      if (t.release.mode == LockMode::each || e + 1 == t.elements) p.release = t.release;
      if (!pieces_.empty() && joins(pieces_.back(), p)) {
        DescriptorPiece& last = pieces_.back();
        last.bytes += p.bytes;
        last.release = p.release;
        ++last.elements;
      } else {
        pieces_.push_back(p);
      }
    }
  }

  // `next` goes on where `last` ends, with nothing between them.
  bool joins(const DescriptorPiece& last, const DescriptorPiece& next) const {
    return !next.begins_task && last.transfer->signal_token == next.transfer->signal_token &&
           last.release.lock == kNone && next.acquire.lock == kNone &&
           last.transfer->link == next.transfer->link &&
           last.access().memory == next.access().memory && last.is_contiguous() &&
           next.is_contiguous() && !last.is_ring() && !next.is_ring() &&
           last.transfer->padding == 0 && next.transfer->padding == 0 &&
           last.address + last.bytes == next.address &&
           last.bytes + next.bytes <= limits().max_bytes &&
           tile_of(last, 0) == tile_of(next, next.bytes - 1);
  }

  // The mem tile that a byte of a piece is in; 0 in DDR.
  int tile_of(const DescriptorPiece& p, std::uint64_t byte) const {
    const Memory& memory = d_.memories[p.access().memory];
    if (memory.is_argument) return 0;
    return memory.first_tile.column +
           static_cast<int>((p.address + byte) / d_.target->mem_tile_bytes);
  }

  // Whether piece k follows piece j as its repetition, `by` bytes farther on.
  bool repeats(std::size_t j, std::size_t k, std::int64_t by) const {
    const DescriptorPiece& x = pieces_[j];
    const DescriptorPiece& y = pieces_[k];
    if (y.begins_task || x.transfer->signal_token != y.transfer->signal_token) return false;
    if (x.transfer->link != y.transfer->link || x.bytes != y.bytes) return false;
    if (x.transfer->padding != y.transfer->padding || x.is_ring() != y.is_ring()) return false;
    if (!same_pattern(x.access(), y.access())) return false;
    if (!same_lock(x.acquire, y.acquire) || !same_lock(x.release, y.release)) return false;
    if (tile_of(x, 0) != tile_of(y, 0)) return false;
    if (!x.is_ring()) return static_cast<std::int64_t>(y.address - x.address) == by;
    return by == 0 && x.address == y.address && x.access().wrap == y.access().wrap &&
           y.slot == (x.slot + 1) % x.access().wrap;
  }

  std::int64_t distance(std::size_t j, std::size_t period) const {
    return static_cast<std::int64_t>(pieces_[j + period].address - pieces_[j].address);
  }

  // How often the `period` pieces from `begin` come, one after the other.
  std::size_t repeats_of(std::size_t begin, std::size_t period) const {
    if (begin + 2 * period > pieces_.size()) return 1;
    std::size_t most = kMaxTaskRepeats;
    std::vector<std::int64_t> by(period);
    for (std::size_t j = 0; j < period; ++j) {
      if (pieces_[begin + j].is_ring() && period > 1) return 1;
      if (j > 0 && pieces_[begin + j].begins_task) return 1;
      by[j] = distance(begin + j, period);
      if (by[j] < 0 || by[j] > static_cast<std::int64_t>(limits().max_stride)) return 1;
      if (by[j] != 0) most = std::min<std::size_t>(most, kMaxIterations);
    }
    std::size_t n = period;
    while (n < most * period && begin + n < pieces_.size() &&
           repeats(begin + n - period, begin + n, by[n % period])) {
      ++n;
    }
    return n / period;
  }

  // A chain takes half of the channel's descriptors, so that the next is written while it runs.
  Cover best_cover(std::size_t begin) const {
    Cover best;
    const auto own = static_cast<std::size_t>(channel_.descriptors);
    for (std::size_t period = 1; period <= std::min(kMaxPeriod, own / 2); ++period) {
      const std::size_t n = repeats_of(begin, period);
      if (n > 1 && n * period > best.repeats * best.period) best = {period, n};
    }
    return best;
  }

  ChannelTask task_of(std::size_t begin, const Cover& cover) const {
    ChannelTask task;
    task.repeats = static_cast<std::uint32_t>(cover.repeats);
    task.transfer = pieces_[begin].index;
    for (std::size_t i = begin; i < begin + cover.period * cover.repeats; ++i) {
      task.elements += pieces_[i].elements;
    }
    for (std::size_t j = begin; j < begin + cover.period; ++j) {
      const std::size_t first = task.chain.size();
      add_descriptors(task.chain, pieces_[j]);
      BufferDescriptor& d = task.chain[first].content;
      const std::int64_t by = cover.repeats > 1 ? distance(j, cover.period) : 0;
      if (pieces_[j].is_ring() || by == 0) continue;
      d.iterations = task.repeats;
      d.iteration_step = static_cast<std::uint32_t>(static_cast<std::uint64_t>(by) / kWordBytes);
    }
    for (std::size_t j = 0; j + 1 < task.chain.size(); ++j) {
      task.chain[j].content.next = static_cast<int>(j) + 1;
    }
    return task;
  }

  void add_descriptors(std::vector<TaskDescriptor>& chain, const DescriptorPiece& p) const {
    TaskDescriptor out{{}, static_cast<std::uint32_t>(is_shim() ? p.access().memory : 0)};
    BufferDescriptor& d = out.content;
    d.length = p.bytes / kWordBytes;
    d.address = address_of(p);
    set_pattern(d, p);
    if (is_shim()) {
      d.burst = kBurst;
      d.cache = kCache;
    }
    const int packet = d_.links[p.transfer->link].packet_id;
    if (packet != kCircuit && channel_.direction == Direction::mm2s) d.packet = Packet{0, packet};
    if (p.acquire.lock != kNone) d.acquire = lock_change(p.acquire.lock, -p.acquire.count);
    if (p.release.lock != kNone) d.release = lock_change(p.release.lock, p.release.count);
    chain.push_back(out);
    if (p.transfer->padding > 0) add_padding(chain, p);
  }

  // Padding is read from the bytes that follow the piece, if it is contiguous and they are in the
  // same tile; else another descriptor follows, and the lock is released with it.
  void add_padding(std::vector<TaskDescriptor>& chain, const DescriptorPiece& p) const {
    const std::uint64_t words = p.transfer->padding / kWordBytes;
    BufferDescriptor& d = chain.back().content;
    const bool is_read = channel_.direction == Direction::mm2s && p.is_contiguous();
    if (is_read && tile_of(p, 0) == tile_of(p, p.bytes + p.transfer->padding - 1)) {
      d.length += words;
      return;
    }
    TaskDescriptor padding{{}, chain.back().argument};
    padding.content.length = words;
    DescriptorPiece dump = p;
    dump.address = d_.memories[p.access().memory].padding_offset;
    padding.content.address = address_of(dump);
    padding.content.release = d.release;
    d.release.reset();
    chain.push_back(padding);
  }

  void set_pattern(BufferDescriptor& d, const DescriptorPiece& p) const {
    if (p.is_ring()) {
      d.iterations = p.access().wrap;
      d.iteration_step =
          static_cast<std::uint32_t>(static_cast<std::uint64_t>(p.access().step) / kWordBytes);
      d.iteration = p.slot;
    }
    if (p.is_contiguous()) return;
    const DescriptorPattern pattern = fit_descriptor(p.access(), limits()).pattern;
    for (std::size_t i = 0; i < pattern.dims.size(); ++i) {
      d.dimensions[i].step = static_cast<std::uint32_t>(pattern.dims[i].stride);
      if (i + 1 < pattern.dims.size()) d.dimensions[i].wrap = pattern.dims[i].count;
    }
  }

  // As the channel's DMA counts: in the argument; or over the western neighbour, the own tile and
  // the eastern neighbour.
  std::uint64_t address_of(const DescriptorPiece& p) const {
    if (is_shim()) return p.address / kWordBytes;
    const int seen = tile_of(p, 0) - channel_.tile.column + 1;
    return static_cast<std::uint64_t>(seen) * kOwnMemTileAddress +
           p.address % d_.target->mem_tile_bytes / kWordBytes;
  }

  LockChange lock_change(std::size_t lock, int value) const {
    const TileId tile = d_.locks[lock].tile;
    int id = lock_id(d_, lock);
    if (!is_shim()) id += (tile.column - channel_.tile.column + 1) * kOwnMemTileLock;
    return {id, value};
  }

  const Design& d_;
  const Channel& channel_;
  const std::vector<Transfer>& transfers_;
  std::vector<DescriptorPiece> pieces_;
  std::set<std::uint64_t> ends_;  // elements of the channel
  std::uint64_t n_elements_ = 0;
};

}  // namespace

std::vector<ChannelTask> channel_tasks(const Design& design, std::size_t channel) {
  return Compiler(design, channel).run();
}

}  // namespace wnpu::npu
