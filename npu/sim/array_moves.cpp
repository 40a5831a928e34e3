// The streams of ArraySimulation: which bytes move when, and the copy itself.
#include <algorithm>
#include <string>

#include "npu/sim/array_simulation.h"

namespace wnpu::npu {
std::size_t ArraySimulation::port_index(const Channel& channel) {
  return channel.direction == Direction::mm2s ? static_cast<std::size_t>(Port::c)
                                              : static_cast<std::size_t>(channel.index);
}

bool ArraySimulation::is_core(std::size_t channel) const {
  return overlay_.channels[channel].tile.kind == TileKind::core;
}

std::size_t ArraySimulation::core_of(std::size_t channel) const {
  return core_index(overlay_.channels[channel].tile);
}

std::size_t ArraySimulation::core_index(TileId tile) const {
  return static_cast<std::size_t>(tile.row) *
             static_cast<std::size_t>(overlay_.target->all_columns()) +
         static_cast<std::size_t>(tile.column);
}

ArraySimulation::PortState& ArraySimulation::port_of(std::size_t channel) {
  return cores_[core_of(channel)].ports[port_index(overlay_.channels[channel])];
}

const PortLocks& ArraySimulation::port_locks(std::size_t channel) const {
  return overlay_.core.locks[port_index(overlay_.channels[channel])];
}

// An element slot of a core's port in its data memory.
std::span<std::byte> ArraySimulation::slot_of(std::size_t channel, std::uint32_t slot) {
  const CoreBuffer& buffer = overlay_.core.buffers[port_index(overlay_.channels[channel])];
  return memory_->core(core_of(channel))
      .subspan(buffer.offset + slot * buffer.bytes, channels_[channel].element_bytes);
}

// Looks at a channel again: begins its next piece if it can, and the move if all ends have.
void ArraySimulation::poll(std::size_t channel) {
  const ChannelState& state = channels_[channel];
  if (state.is_moving || !begin(channel)) return;
  if (state.is_source) {
    try_move(channel);
    return;
  }
  for (const std::size_t source : state.sources) try_move(source);
}

// Whether the channel has a piece at hand.
bool ArraySimulation::begin(std::size_t channel) {
  ChannelState& state = channels_[channel];
  if (state.has_piece) return true;
  Piece piece;
  Waiters* blocker = is_core(channel) ? begin_on_port(channel) : work_->begin(channel, piece);
  if (blocker != nullptr) {
    add_waiter(*blocker, channel);
    return false;
  }
  if (is_core(channel)) {
    const PortState& port = port_of(channel);
    piece.bytes = state.element_bytes;
    piece.link = state.piece.link;
    if (state.is_source) piece.meant = port.bytes[port.read];
  }
  state.piece = piece;
  state.has_piece = true;
  return true;
}

Waiters* ArraySimulation::begin_on_port(std::size_t channel) {
  PortState& port = port_of(channel);
  int& lock = channels_[channel].is_source ? *port.full : *port.free;
  if (lock < 1) return &port.waiters;
  --lock;
  if (options_.order != nullptr) {
    const PortLocks& locks = port_locks(channel);
    options_.order->acquire(OrderCheck::of_channel(channel), overlay_.channels[channel].tile,
                            channels_[channel].is_source ? locks.full : locks.free, lock);
  }
  return nullptr;
}

void ArraySimulation::try_move(std::size_t source) {
  const ChannelState& out = channels_[source];
  if (out.is_moving || !out.has_piece) return;
  const Link& link = overlay_.links[out.piece.link];
  for (const std::size_t sink : link.sinks) require_order(source, sink);
  for (const std::size_t sink : link.sinks) {
    const ChannelState& in = channels_[sink];
    const bool is_other = in.sender != kNone && in.sender != source;
    if (in.is_moving || !in.has_piece || is_other) return;
    require_match(source, sink);
  }
  start_move(source);
}

// Arbiters pick any of two sources of one sink that are ready at once. A source that has begun
// keeps the stream until its end.
void ArraySimulation::require_order(std::size_t source, std::size_t sink) {
  if (channels_[sink].sources.size() < 2 || channels_[source].piece.moved > 0) return;
  for (const std::size_t other : channels_[sink].sources) {
    if (other == source) continue;
    const ChannelState& state = channels_[other];
    const bool is_new = !state.has_piece;
    if (!begin(other)) continue;
    if (is_new) work_->woken().push_back(other);
    const Link& link = overlay_.links[state.piece.link];
    const bool is_for_sink = std::ranges::find(link.sinks, sink) != link.sinks.end();
    if (state.is_moving || state.piece.moved > 0 || !is_for_sink) continue;
    refuse(tile_name(overlay_.channels[sink].tile) + ": links " +
               overlay_.links[channels_[source].piece.link].name + " and " + link.name +
               ", ready to send at once",
           "an order between them", "none");
  }
}

// Checks that the sink expects the source's piece, if it expects a certain one.
void ArraySimulation::require_match(std::size_t source, std::size_t sink) const {
  const Piece& out = channels_[source].piece;
  const Piece& in = channels_[sink].piece;
  if (in.link == kNone) return;
  if (in.link == out.link && in.meant == out.meant && in.bytes == out.bytes) return;
  const Link& link = overlay_.links[out.link];
  const TileId tile = overlay_.channels[sink].tile;
  if (in.link != out.link) {
    refuse(tile_name(tile) + ": link " + link.name +
               " is ready to send while it is the turn of link " + overlay_.links[in.link].name,
           "an order between them", "none");
  }
  throw SimulationError(std::string(names_.call) + ": link " + link.name + ": source sends " +
                        std::to_string(out.meant) + " bytes, " + tile_name(tile) +
                        " expects another size");
}

// As many bytes as all ends have left of their pieces, but no more than an element: DDR serves
// others between them.
void ArraySimulation::start_move(std::size_t source) {
  ChannelState& out = channels_[source];
  const Link& link = overlay_.links[out.piece.link];
  std::uint64_t bytes =
      std::min<std::uint64_t>(link.element_bytes, out.piece.bytes - out.piece.moved);
  for (const std::size_t sink : link.sinks) {
    const Piece& in = channels_[sink].piece;
    bytes = std::min(bytes, in.bytes - in.moved);
  }
  const auto start = [&](std::size_t channel) {
    channels_[channel].is_moving = true;
    channels_[channel].move_start = now_;
    channels_[channel].move_bytes = bytes;
  };
  start(source);
  for (const std::size_t sink : link.sinks) {
    start(sink);
    channels_[sink].sender = source;
    if (!is_core(sink)) continue;
    PortState& port = port_of(sink);
    port.bytes[port.write] = static_cast<std::uint32_t>(out.piece.meant);
  }
  if (memory_) begin_copy(source);
  schedule(move_end(source, bytes), EventKind::move_ends, source);
}

// One word a cycle on the stream; DDR serves all shim channels in the order they ask.
double ArraySimulation::move_end(std::size_t source, std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  double end = now_ + size / kStreamBytesPerCycle;
  const auto ask_ddr = [&](std::size_t channel, double& free, double gb_per_s) {
    if (overlay_.channels[channel].tile.kind != TileKind::shim) return false;
    free = std::max(free, now_) + size / (gb_per_s / preset_.clock_ghz);
    // Requests of queued tasks overlap; one that waited for its turn pays the latency.
    const Piece& piece = channels_[channel].piece;
    const bool is_cold = piece.is_cold && piece.moved == 0;
    end = std::max(end, free) + (is_cold ? preset_.ddr_latency_ns * preset_.clock_ghz : 0);
    return true;
  };
  if (ask_ddr(source, ddr_read_free_, preset_.ddr_read_gb_per_s)) report_.ddr_read_bytes += bytes;
  for (const std::size_t sink : overlay_.links[channels_[source].piece.link].sinks) {
    report_.channel_bytes[sink] += bytes;
    if (ask_ddr(sink, ddr_write_free_, preset_.ddr_write_gb_per_s)) {
      report_.ddr_write_bytes += bytes;
    }
  }
  report_.channel_bytes[source] += bytes;
  return end;
}

// Hardware reads and writes from the first cycle of a move on. The source's bytes are thus read
// when the move starts, and until it ends the destination holds poison: whoever writes the source
// late, or reads the destination early, has a wrong result.
void ArraySimulation::begin_copy(std::size_t source) {
  ChannelState& out = channels_[source];
  std::span<const std::byte> bytes;
  if (is_core(source)) {
    bytes = slot_of(source, port_of(source).read).subspan(out.piece.moved, out.move_bytes);
  } else {
    bytes = memory_->gather(registers_->pattern(source), out.piece.moved, out.move_bytes, scratch_);
  }
  out.in_flight.assign(bytes.begin(), bytes.end());
  poison_.resize(std::max<std::size_t>(poison_.size(), out.move_bytes), ArrayMemory::kPoison);
  put_at_sinks(source, std::span(poison_).first(out.move_bytes));
}

void ArraySimulation::put_at_sinks(std::size_t source, std::span<const std::byte> bytes) {
  for (const std::size_t sink : overlay_.links[channels_[source].piece.link].sinks) {
    const std::uint64_t moved = channels_[sink].piece.moved;
    if (is_core(sink)) {
      copy_bytes(bytes, slot_of(sink, port_of(sink).write).subspan(moved, bytes.size()));
    } else {
      memory_->scatter(registers_->pattern(sink), moved, bytes);
    }
  }
}

void ArraySimulation::tell_order(std::size_t source) {
  using Kind = OrderCheck::Kind;
  OrderCheck& order = *options_.order;
  const ChannelState& out = channels_[source];
  const auto tell = [&](std::size_t channel, Kind kind) {
    if (!is_core(channel)) {
      order.move(channel, registers_->pattern(channel), channels_[channel].piece.moved,
                 out.move_bytes, kind);
      return;
    }
    const PortState& port = port_of(channel);
    order.use_slot(OrderCheck::of_channel(channel), core_of(channel),
                   port_index(overlay_.channels[channel]),
                   kind == Kind::read ? port.read : port.write, kind);
  };
  tell(source, Kind::read);
  for (const std::size_t sink : overlay_.links[out.piece.link].sinks) {
    order.send(source, sink);
    tell(sink, Kind::write);
  }
  order.end_send(source);
}

void ArraySimulation::end_move(std::size_t source) {
  if (memory_) put_at_sinks(source, channels_[source].in_flight);
  if (options_.order != nullptr) tell_order(source);
  const ChannelState& out = channels_[source];
  const std::size_t index = out.piece.link;
  const Link& link = overlay_.links[index];
  record(cores_.size() + source, link.name, out.move_start, now_);
  const std::uint64_t bytes = out.move_bytes;
  const auto end = [&](std::size_t channel) {
    if (options_.records_moves) {
      report_.moves[channel].push_back({channels_[channel].move_start, now_, index, bytes});
    }
    end_on(channel, bytes);
  };
  end(source);
  for (const std::size_t sink : link.sinks) {
    if (!out.has_piece) channels_[sink].sender = kNone;
    end(sink);
  }
}

void ArraySimulation::end_on(std::size_t channel, std::uint64_t bytes) {
  ChannelState& state = channels_[channel];
  state.is_moving = false;
  state.piece.moved += bytes;
  work_->woken().push_back(channel);
  if (state.piece.moved < state.piece.bytes) return;
  state.has_piece = false;
  if (is_core(channel)) {
    end_on_port(channel);
  } else if (work_->end(channel)) {
    schedule(now_ + options_.costs->token.value, EventKind::token_comes, channel);
  }
}

void ArraySimulation::end_on_port(std::size_t channel) {
  PortState& port = port_of(channel);
  if (options_.order != nullptr) {
    const PortLocks& locks = port_locks(channel);
    options_.order->release(OrderCheck::of_channel(channel), overlay_.channels[channel].tile,
                            channels_[channel].is_source ? locks.free : locks.full, 1);
  }
  if (channels_[channel].is_source) {
    ++*port.free;
    port.read = (port.read + 1) % port.depth;
  } else {
    ++*port.full;
    port.write = (port.write + 1) % port.depth;
  }
  advance_core(core_of(channel));
}

}  // namespace wnpu::npu
