#include "npu/design/layer_streams.h"

#include <utility>

namespace wnpu::npu {
namespace {

// Every region that is alive throughout.
constexpr unsigned kAlways = ~0u;

// Mem tile of a row.
TileId mem_tile(std::size_t row) { return {TileKind::mem, static_cast<int>(row), 0}; }

Transfer from_ddr(const Access& from, std::size_t elements, Wait wait) {
  return {.elements = u32(elements),
          .access = from,
          .wait_token = wait.token,
          .wait_count = wait.count};
}

}  // namespace

LayerStreams::LayerStreams(Design& design, RingSlots slots)
    : design_(design), overlay_(add_overlay(design)) {
  first_memory_ = design_.memories.size();
  for (std::size_t row = 0; row < rows(); ++row) {
    design_.memories.push_back(
        {"row" + std::to_string(row), false, design_.target->mem_tile_bytes, mem_tile(row), 1, 0});
    panels_begin_ = 0;
    a_rings_.push_back(add_ring(row, "a_ring", slots.a));
    b_rings_.push_back(add_ring(row, "b_ring", slots.b));
    c_rings_.push_back(add_c_ring(row, panels_begin_));
    panels_begin_ += columns() * kElementBytes;
    design_.memories.back().padding_offset = panels_begin_;
    add_panel(row, "padding", panels_begin_, kElementBytes, kAlways);
    panels_begin_ += kElementBytes;
  }
}

// A slot and its locks for each core of the row.
LayerStreams::Ring LayerStreams::add_c_ring(std::size_t row, std::uint64_t offset) {
  Ring ring;
  ring.offset = offset;
  add_panel(row, "c_ring", offset, columns() * kElementBytes, kAlways);
  ring.free = design_.locks.size();
  for (std::size_t i = 0; i < columns(); ++i) add_lock(row, "c_ring free", 1);
  ring.full = design_.locks.size();
  for (std::size_t i = 0; i < columns(); ++i) add_lock(row, "c_ring full", 0);
  return ring;
}

std::uint64_t LayerStreams::panels_end() const { return design_.memories[first_memory_].bytes; }

LayerStreams::Ring LayerStreams::add_ring(std::size_t row, const std::string& name,
                                          std::size_t slots) {
  Ring ring;
  ring.offset = panels_begin_;
  ring.slots = static_cast<std::uint32_t>(slots);
  ring.free = add_lock(row, name + " free", slots);
  ring.full = add_lock(row, name + " full", 0);
  add_panel(row, name, ring.offset, slots * kElementBytes, kAlways);
  panels_begin_ += slots * kElementBytes;
  return ring;
}

Panel LayerStreams::add_panel(std::size_t row, const std::string& name, std::uint64_t offset,
                              std::uint64_t bytes, unsigned eras) {
  design_.regions.push_back({name, first_memory_ + row, offset, bytes, eras});
  return {first_memory_ + row, offset};
}

std::size_t LayerStreams::add_lock(std::size_t row, const std::string& name, std::size_t initial) {
  design_.locks.push_back({mem_tile(row), name, static_cast<int>(initial)});
  return design_.locks.size() - 1;
}

void LayerStreams::pad(std::size_t link, Transfer& transfer) const {
  const Link& l = design_.links[link];
  const bool is_cores = design_.channels[l.source].tile.kind == TileKind::core ||
                        design_.channels[l.sinks.front()].tile.kind == TileKind::core;
  const std::uint64_t bytes = transfer.access.bytes();
  if (!is_cores || bytes >= l.element_bytes) return;
  transfer.padding = static_cast<std::uint32_t>(l.element_bytes - bytes);
}

void LayerStreams::at_source(std::size_t link, Transfer transfer) {
  transfer.link = link;
  pad(link, transfer);
  design_.transfers[design_.links[link].source].push_back(std::move(transfer));
}

void LayerStreams::at_sink(std::size_t link, std::size_t sink, Transfer transfer) {
  transfer.link = link;
  pad(link, transfer);
  design_.transfers[design_.links[link].sinks[sink]].push_back(std::move(transfer));
}

void LayerStreams::through_ring(std::size_t memory, Ring& ring, std::size_t in_link,
                                std::size_t out_link, Transfer from) {
  Transfer slot{.elements = from.elements,
                .access = {.memory = memory,
                           .offset = ring.offset,
                           .run = u32(from.access.bytes()),
                           .step = kElementBytes,
                           .first = ring.next,
                           .wrap = ring.slots},
                .acquire = {ring.free, 1, LockMode::each},
                .release = {ring.full, 1, LockMode::each}};
  ring.next = (ring.next + from.elements) % ring.slots;
  at_source(in_link, std::move(from));
  at_sink(in_link, 0, slot);
  std::swap(slot.acquire, slot.release);
  at_source(out_link, std::move(slot));
}

void LayerStreams::a_from_ddr(std::size_t row, const Access& from, std::size_t elements,
                              Wait wait) {
  through_ring(first_memory_ + row, a_rings_[row], overlay_.a_in[row], overlay_.a_row[row],
               from_ddr(from, elements, wait));
}

void LayerStreams::b_from_ddr(std::size_t column, const Access& from, std::size_t elements,
                              Wait wait) {
  for (std::size_t mem = column; mem < rows(); mem += columns()) {
    through_ring(first_memory_ + mem, b_rings_[mem], overlay_.b_in[mem], overlay_.b_column[mem],
                 from_ddr(from, elements, wait));
  }
}

void LayerStreams::a_from_panel(std::size_t row, const Access& from, std::size_t elements,
                                LockUse acquire, LockUse release) {
  at_source(overlay_.a_row[row],
            {.elements = u32(elements), .access = from, .acquire = acquire, .release = release});
}

void LayerStreams::load_panel(std::size_t row, const PanelLoad& load) {
  at_source(overlay_.a_in[row], from_ddr(load.from, load.elements, load.wait));
  at_sink(overlay_.a_in[row], 0,
          {.elements = u32(load.elements),
           .access = load.to,
           .acquire = load.acquire,
           .release = load.release});
}

void LayerStreams::c_to_panel(std::size_t row, std::size_t column, const PanelStore& store) {
  at_sink(overlay_.c_core[row * columns() + column], 0,
          {.elements = 1, .access = store.to, .acquire = store.acquire, .release = store.release});
}

void LayerStreams::c_to_ddr(std::size_t row, std::size_t column, const Drain& drain) {
  const Ring& ring = c_rings_[row];
  const LockUse free{ring.free + column, 1, LockMode::each};
  const LockUse full{ring.full + column, 1, LockMode::each};
  const Panel slot{first_memory_ + row, ring.offset + column * kElementBytes};
  const auto bytes = u32(drain.order.bytes());
  c_to_panel(row, column, {slot.at(0, bytes), free, full});
  const std::size_t link = overlay_.c_out[row];
  at_source(link, {.elements = 1,
                   .access = slot.at(0, drain.order.run, drain.order.dims),
                   .acquire = full,
                   .release = free});
  at_sink(link, 0, {.elements = 1, .access = drain.to, .signal_token = drain.signal});
}

}  // namespace wnpu::npu
