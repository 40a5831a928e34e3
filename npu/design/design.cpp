#include "npu/design/design.h"

#include <algorithm>
#include <string_view>

#include "npu/fnv1a.h"

namespace wnpu::npu {
namespace {

class Hasher {
 public:
  Hasher& add(std::uint64_t value) {
    hash_.add(value);
    return *this;
  }
  Hasher& add_signed(std::int64_t value) { return add(static_cast<std::uint64_t>(value)); }
  template <typename Enum>
  Hasher& add_enum(Enum value) {
    return add(static_cast<std::uint64_t>(value));
  }
  Hasher& add(std::string_view text) {
    hash_.add(text.size()).add_bytes(text);
    return *this;
  }
  Hasher& add(TileId tile) {
    return add_enum(tile.kind).add_signed(tile.column).add_signed(tile.row);
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  Fnv1a hash_;
};

void add_call_overlay(Hasher& h, const Overlay& d) {
  h.add(d.target->name).add(d.channels.size()).add(d.links.size());
  for (const Channel& c : d.channels) {
    h.add(c.tile).add_enum(c.direction).add_signed(c.index).add_signed(c.descriptors);
  }
  for (const Link& link : d.links) {
    h.add(link.name).add(link.source).add(link.element_bytes).add_signed(link.packet_id);
    h.add(link.sinks.size());
    for (const std::size_t sink : link.sinks) h.add(sink);
  }
  h.add(d.token_routes.size());
  for (const TokenRoute& route : d.token_routes) h.add(route.tile).add_signed(route.packet_id);
  h.add(d.core.stack_offset).add(d.core.stack_bytes).add(d.core.table_bytes);
  h.add(d.core.program_bytes).add_signed(d.core.header_lock);
  for (const PortLocks& locks : d.core.locks) h.add_signed(locks.free).add_signed(locks.full);
  h.add(d.core.program_digest).add(d.core.buffers.size());
  for (const CoreBuffer& b : d.core.buffers) {
    h.add(b.name).add(b.offset).add(b.bytes).add_signed(b.depth);
  }
}

void add_use(Hasher& h, const LockUse& use) {
  h.add(use.lock).add_signed(use.count).add_enum(use.mode);
}

void add_transfer(Hasher& h, const Transfer& t) {
  h.add(t.link).add(t.elements).add(t.padding);
  h.add(t.access.memory).add(t.access.offset).add(t.access.run);
  h.add(t.access.dims.size());
  for (const Dimension& dim : t.access.dims) h.add(dim.count).add_signed(dim.stride);
  h.add_signed(t.access.step).add(t.access.first);
  h.add(t.access.wrap).add_signed(t.access.wrap_step);
  add_use(h, t.acquire);
  add_use(h, t.release);
  h.add(t.wait_token).add(t.wait_count).add(t.signal_token);
}

void add_call(Hasher& h, const Design& d) {
  h.add(d.name).add(d.memories.size()).add(d.regions.size()).add(d.locks.size()).add(d.n_tokens);
  for (const Memory& m : d.memories) {
    h.add(m.is_argument ? 1 : 0).add(m.bytes).add(m.first_tile).add_signed(m.n_tiles);
    h.add(m.padding_offset);
  }
  for (const Region& r : d.regions) h.add(r.memory).add(r.offset).add(r.bytes).add(r.eras);
  for (const Lock& lock : d.locks) h.add(lock.tile).add_signed(lock.initial);
  for (const auto& queue : d.transfers) {
    h.add(queue.size());
    for (const Transfer& t : queue) add_transfer(h, t);
  }
  h.add(d.phases.size());
  for (const Phase& p : d.phases) {
    h.add_enum(p.kernel).add_enum(p.epilogue).add(p.outer).add(p.inner);
    h.add(p.m).add(p.k).add(p.n).add(p.valid).add(p.quantised_output ? 1 : 0);
  }
}

}  // namespace

std::string tile_name(TileId tile) {
  constexpr std::array<const char*, 3> kKinds{"shim", "mem", "core"};
  return std::string(kKinds[static_cast<std::size_t>(tile.kind)]) + "(" +
         std::to_string(tile.column) + "," + std::to_string(tile.row) + ")";
}

std::uint64_t Access::bytes() const {
  std::uint64_t n = run;
  for (const Dimension& dim : dims) n *= dim.count;
  return n;
}

std::uint64_t Access::address(std::uint32_t element) const {
  const std::uint32_t i = first + element;
  const std::int64_t position =
      wrap == 0 ? std::int64_t{i} * step
                : std::int64_t{i % wrap} * step + std::int64_t{i / wrap} * wrap_step;
  return offset + static_cast<std::uint64_t>(position);
}

const TokenRoute* Overlay::token_route(TileId tile) const {
  const auto found = std::ranges::find(token_routes, tile, &TokenRoute::tile);
  return found == token_routes.end() ? nullptr : &*found;
}

std::size_t Design::n_arguments() const {
  return static_cast<std::size_t>(std::count_if(memories.begin(), memories.end(),
                                                [](const Memory& m) { return m.is_argument; }));
}

std::uint64_t overlay_hash(const Overlay& overlay) {
  Hasher h;
  add_call_overlay(h, overlay);
  return h.value();
}

std::uint64_t design_hash(const Design& design) {
  Hasher h;
  add_call_overlay(h, design);
  add_call(h, design);
  return h.value();
}

std::string hash_text(std::uint64_t hash) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = "0123456789abcdef"[(hash >> (4 * i)) & 15];
  return text;
}

}  // namespace wnpu::npu
