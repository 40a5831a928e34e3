// The DMA half of ArraySimulation: which element moves when, and the copy itself.
#include <algorithm>
#include <string>

#include "npu/sim/array_simulation.h"

namespace wnpu::npu {
namespace {

constexpr double kStreamBytesPerCycle = 4;  // AM020 ch. 2: 32-bit streams, one word a cycle

// Into Design::core.buffers and CoreState::ports.
std::size_t port_index(const Channel& channel) {
  return channel.direction == Direction::mm2s ? static_cast<std::size_t>(Port::c)
                                              : static_cast<std::size_t>(channel.index);
}

}  // namespace

const Transfer* ArraySimulation::head(std::size_t channel) const {
  const auto& queue = design_.transfers[channel];
  const std::size_t next = channels_[channel].transfer;
  if (!has_task(channel)) return nullptr;
  return next < queue.size() ? &queue[next] : nullptr;
}

bool ArraySimulation::is_core(std::size_t channel) const {
  return design_.channels[channel].tile.kind == TileKind::core;
}

std::size_t ArraySimulation::core_of(std::size_t channel) const {
  return core_index(design_.channels[channel].tile);
}

std::size_t ArraySimulation::core_index(TileId tile) const {
  return static_cast<std::size_t>(tile.row) * static_cast<std::size_t>(design_.target->columns) +
         static_cast<std::size_t>(tile.column);
}

ArraySimulation::PortState& ArraySimulation::port_of(std::size_t channel) {
  return cores_[core_of(channel)].ports[port_index(design_.channels[channel])];
}

// An element slot of a core's port in its data memory.
std::span<std::byte> ArraySimulation::slot_of(std::size_t channel, std::uint32_t slot,
                                              std::size_t bytes) {
  const CoreBuffer& buffer = design_.core.buffers[port_index(design_.channels[channel])];
  return memory_->core(core_of(channel)).subspan(buffer.offset + slot * buffer.bytes, bytes);
}

// Null when the element at the head of a shim or mem-tile channel may move.
ArraySimulation::Waiters* ArraySimulation::transfer_blocker(std::size_t channel) {
  const Transfer& t = *head(channel);
  const std::uint32_t element = channels_[channel].element;
  if (t.wait_token != kNone && element == 0) {
    CounterState& token = tokens_[t.wait_token];
    if (token.value < static_cast<std::int64_t>(t.wait_count)) return &token.waiters;
  }
  if (t.acquire.lock == kNone || (t.acquire.mode == LockMode::once && element > 0)) return nullptr;
  CounterState& lock = locks_[t.acquire.lock];
  return lock.value < t.acquire.count ? &lock.waiters : nullptr;
}

ArraySimulation::Waiters* ArraySimulation::sink_blocker(std::size_t sink, std::size_t link) {
  ChannelState& state = channels_[sink];
  if (state.is_busy) return &state.waiters;
  if (is_core(sink)) {
    PortState& port = port_of(sink);
    return *port.free > 0 ? nullptr : &port.waiters;
  }
  const Transfer* transfer = head(sink);
  if (transfer == nullptr || transfer->link != link) return &state.waiters;
  return transfer_blocker(sink);
}

ArraySimulation::Waiters* ArraySimulation::source_blocker(std::size_t source) {
  if (is_core(source)) {
    PortState& port = port_of(source);
    return *port.full > 0 ? nullptr : &port.waiters;
  }
  return transfer_blocker(source);
}

// Two sources of one sink: what is ready to be sent is sent, for an arbiter does not know whose
// turn it is. The sink has to have come to this link when its source is ready.
void ArraySimulation::require_turn(std::size_t source, std::size_t sink) const {
  if (is_core(sink)) return;
  const auto& queue = design_.transfers[sink];
  const ChannelState& state = channels_[sink];
  std::size_t next = state.transfer;
  // What is on its way has the stream until its end.
  if (state.is_busy && state.element + 1 == queue[next].elements) ++next;
  if (next >= queue.size()) return;
  const std::size_t turn = design_.links[queue[next].link].source;
  if (turn == source) return;
  throw SimulationError(design_.name + ": " + tile_name(design_.channels[sink].tile) + ": link " +
                        design_.links[channels_[source].link].name +
                        " is ready to send while it is the turn of link " +
                        design_.links[queue[next].link].name + ": expected an order between them");
}

void ArraySimulation::release_lock(const LockUse& use) {
  CounterState& lock = locks_[use.lock];
  lock.value += use.count;
  if (lock.value > kMaxLockValue) {
    const Lock& declared = design_.locks[use.lock];
    throw SimulationError(design_.name + ": " + tile_name(declared.tile) + ": lock " +
                          declared.name + ": expected at most " + std::to_string(kMaxLockValue) +
                          ", found " + std::to_string(lock.value));
  }
  wake(lock.waiters);
}

void ArraySimulation::try_move(std::size_t source) {
  ChannelState& state = channels_[source];
  if (state.is_busy) return;
  if (!is_core(source)) {
    const Transfer* transfer = head(source);
    if (transfer == nullptr) return;
    state.link = transfer->link;
  }
  Waiters* blocker = source_blocker(source);
  const Link& link = design_.links[state.link];
  if (blocker == nullptr) {
    for (const std::size_t sink : link.sinks) require_turn(source, sink);
  }
  for (std::size_t i = 0; blocker == nullptr && i < link.sinks.size(); ++i) {
    blocker = sink_blocker(link.sinks[i], state.link);
  }
  if (blocker != nullptr) {
    blocker->push_back(source);
    return;
  }
  const ElementBytes bytes = begin_on(source, false);
  for (const std::size_t sink : link.sinks) {
    if (is_core(sink)) {
      begin_on(sink, true);
      PortState& port = port_of(sink);
      port.bytes[port.write] = static_cast<std::uint32_t>(bytes.meant);
    } else if (begin_on(sink, true) != bytes) {
      throw SimulationError(design_.name + ": link " + link.name + ": source sends " +
                            std::to_string(bytes.meant) + " bytes, " +
                            tile_name(design_.channels[sink].tile) + " expects another size");
    }
  }
  move_start_[source] = now_;
  schedule(move_end(source, bytes.streamed), EventKind::move_ends, source);
}

// Takes what the element needs and gives its size; none for a core's sink, which has one for all.
ArraySimulation::ElementBytes ArraySimulation::begin_on(std::size_t channel, bool is_sink) {
  ChannelState& state = channels_[channel];
  state.is_busy = true;
  if (is_core(channel)) {
    PortState& port = port_of(channel);
    --(is_sink ? *port.free : *port.full);
    if (is_sink) return {};
    return {port.bytes[port.read], design_.links[state.link].element_bytes};
  }
  const Transfer& t = *head(channel);
  if (t.acquire.lock != kNone && (t.acquire.mode != LockMode::once || state.element == 0)) {
    locks_[t.acquire.lock].value -= t.acquire.count;
  }
  return {t.access.bytes(), t.stream_bytes()};
}

// One word a cycle on the stream; DDR serves all shim channels in the order they ask.
double ArraySimulation::move_end(std::size_t source, std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  double end = now_ + size / kStreamBytesPerCycle;
  const auto ask_ddr = [&](std::size_t channel, double& free, double gb_per_s) {
    if (is_core(channel)) return false;
    const Transfer& t = *head(channel);
    if (!design_.memories[t.access.memory].is_argument) return false;
    free = std::max(free, now_) + size / (gb_per_s / preset_.clock_ghz);
    // Requests of queued tasks overlap; one that waited for its turn pays the latency.
    const bool is_cold = channels_[channel].element == 0 &&
                         (t.wait_token != kNone || channels_[channel].transfer == 0);
    end = std::max(end, free) + (is_cold ? preset_.ddr_latency_ns * preset_.clock_ghz : 0);
    return true;
  };
  if (ask_ddr(source, ddr_read_free_, preset_.ddr_read_gb_per_s)) report_.ddr_read_bytes += bytes;
  for (const std::size_t sink : design_.links[channels_[source].link].sinks) {
    report_.channel_bytes[sink] += bytes;
    if (ask_ddr(sink, ddr_write_free_, preset_.ddr_write_gb_per_s)) {
      report_.ddr_write_bytes += bytes;
    }
  }
  report_.channel_bytes[source] += bytes;
  return end;
}

void ArraySimulation::copy_element(std::size_t source) {
  std::span<const std::byte> bytes;
  if (is_core(source)) {
    const PortState& port = port_of(source);
    bytes = slot_of(source, port.read, port.bytes[port.read]);
  } else {
    bytes = memory_->gather(head(source)->access, channels_[source].element, scratch_);
  }
  const Link& link = design_.links[channels_[source].link];
  for (const std::size_t sink : link.sinks) {
    if (is_core(sink)) {
      const auto slot = slot_of(sink, port_of(sink).write, link.element_bytes);
      copy_bytes(bytes, slot.first(bytes.size()));
      std::ranges::fill(slot.subspan(bytes.size()), ArrayMemory::kPoison);  // padding
    } else {
      memory_->scatter(head(sink)->access, channels_[sink].element, bytes);
    }
  }
}

void ArraySimulation::end_move(std::size_t source) {
  if (memory_) copy_element(source);
  const std::size_t link = channels_[source].link;
  record(cores_.size() + source, design_.links[link].name, move_start_[source], now_);
  end_on(source, source);
  for (const std::size_t sink : design_.links[link].sinks) end_on(sink, source);
  to_try_.push_back(source);
  if (options_.program != nullptr && controller_.waiting_since >= 0) {
    schedule(now_ + options_.costs->token.value, EventKind::token_comes, 0);
  }
}

void ArraySimulation::end_on(std::size_t channel, std::size_t source) {
  ChannelState& state = channels_[channel];
  state.is_busy = false;
  if (!is_core(channel)) {
    if (options_.records_moves) report_.moves[channel].push_back({move_start_[source], now_});
    advance_transfer(channel);
    wake(state.waiters);
    return;
  }
  PortState& port = port_of(channel);
  if (channel != source) {
    ++*port.full;
    port.write = (port.write + 1) % port.depth;
    wake(state.waiters);
  } else {
    ++*port.free;
    port.read = (port.read + 1) % port.depth;
  }
  advance_core(core_of(channel));
}

void ArraySimulation::advance_transfer(std::size_t channel) {
  ChannelState& state = channels_[channel];
  const Transfer& t = *head(channel);
  const bool is_last = state.element + 1 == t.elements;
  if (t.signal_token != kNone) {
    ++tokens_[t.signal_token].value;
    wake(tokens_[t.signal_token].waiters);
  }
  if (t.release.lock != kNone && (t.release.mode != LockMode::once || is_last)) {
    release_lock(t.release);
  }
  ++state.element;
  ++state.moved;
  if (is_last) {
    ++state.transfer;
    state.element = 0;
  }
}

}  // namespace wnpu::npu
