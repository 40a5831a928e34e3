#include "npu/sim/descriptor_work.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "npu/control/transaction.h"
#include "npu/sim/array_memory.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

}  // namespace

DescriptorWork::DescriptorWork(const Overlay& overlay, std::span<const std::size_t> argument_bytes,
                               std::string_view call, OrderCheck* order)
    : overlay_(overlay),
      argument_bytes_(argument_bytes),
      call_(call),
      order_(order),
      channels_(overlay.channels.size()) {
  for (const TileKind kind : {TileKind::shim, TileKind::mem}) {
    const DmaRegisters& dma = dma_registers(kind);
    for (int column = 0; column < overlay.target->all_columns(); ++column) {
      Tile& tile = tiles_.emplace_back();
      tile.id = {kind, column, 0};
      tile.descriptors.resize(static_cast<std::size_t>(dma.n_descriptors));
      tile.locks.resize(static_cast<std::size_t>(dma.n_locks));
    }
  }
}

void DescriptorWork::refuse(const std::string& what, const std::string& expected,
                            const std::string& found) const {
  throw SimulationError(std::string(call_) + ": " + what + ": expected " + expected + ", found " +
                        found);
}

std::string DescriptorWork::name(std::size_t channel) const {
  return port_name(port_of(overlay_.channels[channel]));
}

std::string DescriptorWork::running_name(std::size_t channel) const {
  const State& state = channels_[channel];
  return name(channel) + ": descriptor " + std::to_string(state.tasks.front().chain[state.place]);
}

DescriptorWork::Tile& DescriptorWork::tile_of(TileId id) {
  const int columns = overlay_.target->all_columns();
  if (id.kind == TileKind::core || id.column >= columns) {
    refuse(tile_name(id), "a shim or mem tile of " + std::to_string(columns) + " columns",
           "another");
  }
  return tiles_[static_cast<std::size_t>(id.kind == TileKind::mem ? columns + id.column
                                                                  : id.column)];
}

std::size_t DescriptorWork::channel_of(const DmaPort& port) const {
  for (std::size_t i = 0; i < overlay_.channels.size(); ++i) {
    if (port_of(overlay_.channels[i]) == port && port.tile.kind != TileKind::core) return i;
  }
  refuse(port_name(port), "a channel of the overlay's shims and mem tiles", "none");
}

// ---- operations ---------------------------------------------------------------------------------

// A descriptor that may be written: the DMA would read one half old, the other new.
DescriptorWork::Descriptor& DescriptorWork::unused_descriptor(TileId tile, int descriptor) {
  Descriptor& d = tile_of(tile).descriptors[static_cast<std::size_t>(descriptor)];
  if (d.users > 0) {
    refuse(tile_name(tile) + ": a write to descriptor " + std::to_string(descriptor),
           "no task that uses it", std::to_string(d.users));
  }
  return d;
}

void DescriptorWork::apply(const WriteDescriptor& write) {
  if (order_ != nullptr) order_->write_descriptor(write.tile, write.descriptor);
  unused_descriptor(write.tile, write.descriptor) = {write.content, {}, 0};
}

// The block before has the offset as well (mlir-aie writes both): some runtimes add the argument's
// address to what the block wrote, some write the sum of address and offset.
void DescriptorWork::apply(const PatchAddress& patch) {
  const auto place = descriptor_at(patch.place - static_cast<RegisterAddress>(kWordBytes));
  if (!place || place->tile.kind != TileKind::shim) {
    refuse("address of an argument", "a shim's descriptor to be patched",
           "register " + std::to_string(patch.place));
  }
  Descriptor& d = unused_descriptor(place->tile, place->descriptor);
  const auto what = [&] {
    return tile_name(place->tile) + ": address of descriptor " + std::to_string(place->descriptor);
  };
  if (!d.content) refuse(what(), "a descriptor that was written", "none");
  if (d.content->address * kWordBytes != patch.offset) {
    refuse(what(), "offset " + text(d.content->address * kWordBytes) + ", as it was written",
           text(patch.offset));
  }
  if (patch.argument >= argument_bytes_.size()) {
    refuse(what(), "one of " + text(argument_bytes_.size()) + " arguments",
           "number " + text(patch.argument));
  }
  d.patch = patch;
}

void DescriptorWork::apply(const RouteTokens& route) {
  const TokenRoute* way = overlay_.token_route(route.port.tile);
  channels_[channel_of(route.port)].has_route =
      way != nullptr && way->packet_id == route.controller;
}

void DescriptorWork::apply(const PushTask& push) {
  const std::size_t channel = channel_of(push.port);
  State& state = channels_[channel];
  if (state.tasks.size() == static_cast<std::size_t>(kTaskQueueDepth)) {
    refuse(name(channel) + ": a task", "at most " + std::to_string(kTaskQueueDepth) + " at a time",
           text(state.tasks.size() + 1));
  }
  Task task{chain_of(channel, push.descriptor), push.repeats, push.has_token, state.tasks.empty()};
  for (const int id : task.chain) {
    ++tile_of(channel).descriptors[static_cast<std::size_t>(id)].users;
  }
  if (order_ != nullptr) order_->give_task(channel, task.chain);
  state.tasks.push_back(std::move(task));
  wake(state.waiters);
}

std::vector<int> DescriptorWork::chain_of(std::size_t channel, int first) {
  const std::vector<Descriptor>& descriptors = tile_of(channel).descriptors;
  std::vector<int> chain;
  for (std::optional<int> id = first; id;) {
    if (chain.size() == descriptors.size()) {
      refuse(name(channel) + ": a task of descriptor " + std::to_string(first), "a chain that ends",
             "a circle");
    }
    require_ready(channel, *id);
    chain.push_back(*id);
    id = descriptors[static_cast<std::size_t>(*id)].content->next;
  }
  return chain;
}

// Even and odd channels of a mem tile each reach one half of its descriptors (xdna-emu
// docs/dma-reference.md).
void DescriptorWork::require_ready(std::size_t channel, int id) {
  const Tile& tile = tile_of(channel);
  const std::string what = name(channel) + ": a task of descriptor " + std::to_string(id);
  const int half = static_cast<int>(tile.descriptors.size() / 2);
  const int odd = overlay_.channels[channel].index % 2;
  if (tile.id.kind == TileKind::mem && id / half != odd) {
    refuse(what, "one from " + std::to_string(odd * half) + " on, of " + std::to_string(half),
           "another");
  }
  const Descriptor& d = tile.descriptors[static_cast<std::size_t>(id)];
  if (!d.content) refuse(what, "one that was written", "none");
  if (!d.content->is_valid) refuse(what, "one that is valid", "one that is not");
  if (tile.id.kind == TileKind::shim && !d.patch) {
    refuse(what, "the address of an argument in it", "none");
  }
}

void DescriptorWork::apply(const SetLock& set) {
  LockState& lock = tile_of(set.tile).locks[static_cast<std::size_t>(set.lock)];
  lock.value = set.value;
  if (order_ != nullptr) order_->set_lock(set.tile, set.lock, set.value);
  wake(lock.waiters);
}

// ---- locks --------------------------------------------------------------------------------------

// A mem tile's channel reaches its own tile and its neighbours', the last channels their own alone.
bool DescriptorWork::reaches(std::size_t channel, int column) const {
  const Channel& c = overlay_.channels[channel];
  const int reach = c.index < overlay_.target->mem_dma.far_channels ? 1 : 0;
  return column >= 0 && column < overlay_.target->all_columns() &&
         std::abs(column - c.tile.column) <= reach;
}

DescriptorWork::LockPlace DescriptorWork::lock_place(std::size_t channel, int id) const {
  TileId tile = overlay_.channels[channel].tile;
  if (tile.kind != TileKind::mem) return {tile, id};
  tile.column += id / kOwnMemTileLock - 1;
  return {tile, id % kOwnMemTileLock};
}

DescriptorWork::LockState& DescriptorWork::seen_lock(std::size_t channel, int id) {
  const LockPlace place = lock_place(channel, id);
  if (place.tile.kind == TileKind::mem && !reaches(channel, place.tile.column)) {
    refuse(running_name(channel) + ": lock", "one of a tile within reach",
           "number " + std::to_string(id));
  }
  LockState& lock = tile_of(place.tile).locks[static_cast<std::size_t>(place.index)];
  if (!lock.value) {
    refuse(running_name(channel) + ": lock", "one that the controller has set",
           "number " + std::to_string(id));
  }
  return lock;
}

Waiters* DescriptorWork::take(std::size_t channel, const LockChange& change) {
  LockState& lock = seen_lock(channel, change.id);
  if (change.value >= 0) {
    refuse(running_name(channel) + ": lock to take", "a negative value",
           std::to_string(change.value));
  }
  if (*lock.value < -change.value) return &lock.waiters;
  *lock.value += change.value;
  if (order_ != nullptr) {
    const LockPlace place = lock_place(channel, change.id);
    order_->acquire(OrderCheck::of_channel(channel), place.tile, place.index, *lock.value);
  }
  return nullptr;
}

void DescriptorWork::give(std::size_t channel, const LockChange& change) {
  LockState& lock = seen_lock(channel, change.id);
  *lock.value += change.value;
  if (*lock.value < 0 || *lock.value > kMaxLockValue) {
    refuse(running_name(channel) + ": lock " + std::to_string(change.id),
           "a value of 0 to " + std::to_string(kMaxLockValue), std::to_string(*lock.value));
  }
  if (order_ != nullptr) {
    const LockPlace place = lock_place(channel, change.id);
    order_->release(OrderCheck::of_channel(channel), place.tile, place.index, change.value);
  }
  wake(lock.waiters);
}

// ---- tasks --------------------------------------------------------------------------------------

DescriptorWork::Descriptor& DescriptorWork::running(std::size_t channel) {
  const State& state = channels_[channel];
  const int id = state.tasks.front().chain[state.place];
  return tile_of(channel).descriptors[static_cast<std::size_t>(id)];
}

Waiters* DescriptorWork::begin(std::size_t channel, Piece& piece) {
  State& state = channels_[channel];
  if (state.tasks.empty()) return &state.waiters;
  Descriptor& d = running(channel);
  BufferDescriptor& content = *d.content;
  const bool is_first = state.place == 0 && state.repeat == 0;
  if (content.acquire) {
    if (Waiters* blocker = take(channel, *content.acquire)) return blocker;
  }
  if (order_ != nullptr && is_first) order_->begin_task(channel);
  require_plain(channel, content);
  state.pattern = pattern_of(channel, d);
  piece.bytes = content.length * kWordBytes;
  piece.link = link_of(channel, content);
  piece.is_cold = state.tasks.front().is_cold && is_first;
  content.iteration = (content.iteration + 1) % content.iterations;
  return nullptr;
}

bool DescriptorWork::end(std::size_t channel) {
  State& state = channels_[channel];
  const Task& task = state.tasks.front();
  const auto& release = running(channel).content->release;
  if (release) give(channel, *release);
  if (++state.place < task.chain.size()) return false;
  state.place = 0;
  if (++state.repeat < task.repeats) return false;
  state.repeat = 0;
  for (const int id : task.chain) {
    --tile_of(channel).descriptors[static_cast<std::size_t>(id)].users;
  }
  const bool sends_token = task.has_token && state.has_route;
  state.tasks.erase(state.tasks.begin());
  if (order_ != nullptr) order_->end_task(channel, sends_token);
  return sends_token;
}

std::string DescriptorWork::unfinished() const {
  std::string found;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].tasks.empty()) continue;
    const Task& task = channels_[i].tasks.front();
    found += running_name(i) + " has not moved repetition " + std::to_string(channels_[i].repeat) +
             " of " + std::to_string(task.repeats) + " of its task; ";
  }
  return found;
}

// ---- descriptors --------------------------------------------------------------------------------

// Refuses descriptors that mean nothing, and those that the simulator does not support.
void DescriptorWork::require_plain(std::size_t channel, const BufferDescriptor& d) {
  constexpr std::array<std::uint32_t, 3> kNoZeros{};
  if (d.length == 0) refuse(running_name(channel) + ": length", "a word or more", "0");
  if (d.iteration >= d.iterations) {
    refuse(running_name(channel) + ": iteration", "one of " + text(d.iterations),
           text(d.iteration));
  }
  if (d.zeros_before != kNoZeros || d.zeros_after != kNoZeros) {
    refuse(running_name(channel), "no zeros around its data", "some");
  }
  if (d.suppresses_tlast) {
    refuse(running_name(channel), "a stream that ends with it", "TLAST suppressed");
  }
}

// The stream's words come from or go to as many places: the dimensions have to be full. Words from
// the first to the last one.
std::uint64_t DescriptorWork::reach_of(std::size_t channel, const BufferDescriptor& d) {
  std::uint64_t rest = d.length;
  std::uint64_t reach = 0;
  for (const DescriptorDimension& dimension : d.dimensions) {
    const std::uint64_t count = dimension.wrap == 0 ? rest : dimension.wrap;
    if (rest % count != 0) {
      refuse(running_name(channel) + ": length", "a multiple of its wraps, of " + text(count),
             text(d.length) + " words");
    }
    reach += (count - 1) * dimension.step;
    rest /= count;
    if (dimension.wrap == 0) break;
  }
  return reach;
}

WordPattern DescriptorWork::pattern_of(std::size_t channel, const Descriptor& d) {
  WordPattern pattern;
  pattern.dimensions = d.content->dimensions;
  pattern.first =
      d.content->address + std::uint64_t{d.content->iteration} * d.content->iteration_step;
  if (overlay_.channels[channel].tile.kind == TileKind::shim) {
    place_in_argument(channel, d, pattern);
  } else {
    place_in_mem_tile(channel, *d.content, pattern);
  }
  return pattern;
}

void DescriptorWork::place_in_argument(std::size_t channel, const Descriptor& d,
                                       WordPattern& pattern) {
  pattern.memory = ArrayMemory::argument(d.patch->argument);
  const std::uint64_t end = (pattern.first + reach_of(channel, *d.content) + 1) * kWordBytes;
  const std::uint64_t bytes = argument_bytes_[pattern.memory];
  if (end <= bytes) return;
  refuse(running_name(channel) + ": argument " + text(pattern.memory),
         "an end at byte " + text(bytes) + " or before", text(end));
}

void DescriptorWork::place_in_mem_tile(std::size_t channel, const BufferDescriptor& d,
                                       WordPattern& pattern) {
  const std::uint64_t last = pattern.first + reach_of(channel, d);
  const std::uint64_t seen = pattern.first / kOwnMemTileAddress;
  const int column = overlay_.channels[channel].tile.column + static_cast<int>(seen) - 1;
  const bool is_in_one = last / kOwnMemTileAddress == seen &&
                         last % kOwnMemTileAddress * kWordBytes < overlay_.target->mem_tile_bytes;
  if (!is_in_one || !reaches(channel, column)) {
    refuse(running_name(channel) + ": address", "words of one mem tile within reach",
           text(pattern.first) + " to " + text(last));
  }
  pattern.memory = ArrayMemory::mem_tile(argument_bytes_.size(), column);
  pattern.first %= kOwnMemTileAddress;
}

// The link that a source's words go to: its only one, or that of the packet.
std::size_t DescriptorWork::link_of(std::size_t channel, const BufferDescriptor& d) {
  const int id = d.packet ? d.packet->id : kCircuit;
  if (overlay_.channels[channel].direction == Direction::s2mm) {
    if (!d.packet) return kNone;
    refuse(running_name(channel) + ": packet", "none where words come in", std::to_string(id));
  }
  for (std::size_t i = 0; i < overlay_.links.size(); ++i) {
    if (overlay_.links[i].source == channel && overlay_.links[i].packet_id == id) return i;
  }
  refuse(running_name(channel) + ": packet", "that of one of its links",
         d.packet ? "id " + std::to_string(id) : "none");
}

}  // namespace wnpu::npu
