#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "npu/control/registers.h"
#include "npu/sim/check_parts.h"

namespace wnpu::npu {
namespace {

// Looks at the links of one Design.
class StreamChecker {
 public:
  StreamChecker(const Design& design, Problems& problems) : d_(design), problems_(problems) {}

  void run() {
    for (std::size_t i = 0; i < d_.links.size(); ++i) {
      check_ends(d_.links[i]);
      check_against_earlier(i);
    }
    check_core_ports();
    check_tokens();
    for (const StreamCut& cut : stream_cuts(d_)) {
      problems_.at_most("streams " + cut.name, static_cast<std::uint64_t>(cut.ports),
                        static_cast<std::uint64_t>(cut.streams), " streams");
    }
  }

 private:
  void check_ends(const Link& link) {
    const std::string name = "link " + link.name;
    if (d_.channels[link.source].direction != Direction::mm2s) {
      problems_.add(name + ": its source is no mm2s channel");
    }
    for (const std::size_t sink : link.sinks) {
      if (d_.channels[sink].direction == Direction::s2mm) continue;
      problems_.add(name + ": sink " + tile_name(d_.channels[sink].tile) + " is no s2mm channel");
    }
    const std::set<std::size_t> sinks(link.sinks.begin(), link.sinks.end());
    if (sinks.size() != link.sinks.size()) {
      problems_.add(name + ": expected each sink once, found one twice");
    }
    if (link.packet_id != kCircuit) {
      problems_.between(name + ": packet id", 0, kPacketIds - 1, link.packet_id);
    }
  }

  // Every task that the controller gives ends with a token, which comes on a route or never.
  // Streams have other ids than tokens: rules of a port that both take tell them apart by it.
  void check_tokens() {
    for (std::size_t i = 0; i < d_.channels.size(); ++i) {
      const TileId tile = d_.channels[i].tile;
      if (tile.kind == TileKind::core || d_.transfers[i].empty() || d_.token_route(tile)) continue;
      problems_.add(tile_name(tile) + ": expected a route for its tokens, found none");
    }
    for (const TokenRoute& route : d_.token_routes) {
      const std::string name = "tokens of " + tile_name(route.tile);
      problems_.between(name + ": packet id", 0, kTokenPackets - 1, route.packet_id);
      for (const Link& link : d_.links) {
        if (link.packet_id != route.packet_id) continue;
        problems_.add("link " + link.name + " and " + name + ": expected different packet ids");
      }
    }
  }

  static bool share_a_sink(const Link& x, const Link& y) {
    return std::ranges::any_of(x.sinks, [&](std::size_t sink) {
      return std::ranges::find(y.sinks, sink) != y.sinks.end();
    });
  }

  // Streams that share an end are told apart by their packets alone.
  void check_against_earlier(std::size_t index) {
    const Link& link = d_.links[index];
    for (std::size_t i = 0; i < index; ++i) {
      const Link& other = d_.links[i];
      if (other.source != link.source && !share_a_sink(other, link)) continue;
      const std::string names =
          "links " + other.name + " and " + link.name + ", which share a channel";
      if (link.packet_id == kCircuit || other.packet_id == kCircuit) {
        problems_.add(names + ": expected a packet id for each, found a circuit");
      } else if (link.packet_id == other.packet_id) {
        problems_.add(names + ": expected different packet ids, found " +
                      std::to_string(link.packet_id) + " twice");
      }
    }
  }

  // A core's descriptors are written once and move a buffer whole (emit/device_text.cpp): every
  // element of a port has its length.
  void check_core_ports() {
    std::map<std::size_t, const Link*> first;  // link of each core's sink
    for (const Link& link : d_.links) {
      for (const std::size_t sink : link.sinks) {
        if (d_.channels[sink].tile.kind != TileKind::core) continue;
        check_core_port(link, d_.channels[sink], false);
        check_same_size(link, *first.try_emplace(sink, &link).first->second, sink);
      }
      if (d_.channels[link.source].tile.kind == TileKind::core) {
        check_core_port(link, d_.channels[link.source], true);
      }
    }
  }

  void check_same_size(const Link& link, const Link& other, std::size_t sink) {
    if (other.element_bytes == link.element_bytes) return;
    problems_.add(tile_name(d_.channels[sink].tile) + ": links " + other.name + " and " +
                  link.name + ": expected elements of one size, found " +
                  std::to_string(other.element_bytes) + " and " +
                  std::to_string(link.element_bytes) + " bytes");
  }

  void check_core_port(const Link& link, const Channel& channel, bool is_source) {
    const std::size_t port = is_source ? 2 : static_cast<std::size_t>(channel.index);
    if (port >= d_.core.buffers.size()) return;
    const std::string what = tile_name(channel.tile) + ": element of link " + link.name;
    const std::size_t bytes = d_.core.buffers[port].bytes;
    problems_.at_most(what, bytes, link.element_bytes, " bytes");
    if (link.element_bytes >= bytes) return;
    problems_.add(what + ": expected " + std::to_string(bytes) +
                  " bytes, the whole buffer, found " + std::to_string(link.element_bytes));
  }

  const Design& d_;
  Problems& problems_;
};

// Circuits that cross a line, one a source; packets may share one wire.
int crossing(const Design& d, const std::function<bool(TileId, TileId)>& crosses) {
  std::set<std::size_t> circuits;
  bool has_packets = false;
  for (const Link& link : d.links) {
    const bool is_crossing = std::ranges::any_of(link.sinks, [&](std::size_t sink) {
      return crosses(d.channels[link.source].tile, d.channels[sink].tile);
    });
    if (!is_crossing) continue;
    if (link.packet_id == kCircuit) {
      circuits.insert(link.source);
    } else {
      has_packets = true;
    }
  }
  has_packets = has_packets || std::ranges::any_of(d.token_routes, [&](const TokenRoute& route) {
                  return crosses(route.tile, {TileKind::shim, route.tile.column, 0});
                });
  return static_cast<int>(circuits.size()) + (has_packets ? 1 : 0);
}

// Bytes of one link after those of another.
struct Stretch {
  std::size_t link = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Stretch&) const = default;
};

void add_stream_bytes(std::vector<Stretch>& stretches, std::size_t link, std::uint64_t bytes) {
  if (stretches.empty() || stretches.back().link != link) stretches.push_back({link, 0});
  stretches.back().bytes += bytes;
}

std::string stream_text(const Design& d, const std::vector<Stretch>& stretches, std::size_t at) {
  if (at == stretches.size()) return "the end";
  return std::to_string(stretches[at].bytes) + " bytes of link " + d.links[stretches[at].link].name;
}

}  // namespace

std::string moves_fault(const Design& d, const SimReport& report) {
  for (std::size_t c = 0; c < d.channels.size(); ++c) {
    if (d.channels[c].tile.kind == TileKind::core) continue;
    std::vector<Stretch> expected;
    std::vector<Stretch> found;
    for (const Transfer& t : d.transfers[c]) {
      add_stream_bytes(expected, t.link, t.elements * t.stream_bytes());
    }
    for (const Move& move : report.moves[c]) add_stream_bytes(found, move.link, move.bytes);
    if (expected == found) continue;
    const auto differ = std::ranges::mismatch(expected, found).in1 - expected.begin();
    const auto at = static_cast<std::size_t>(differ);
    const Channel& channel = d.channels[c];
    return d.name + ": " + port_name({channel.tile, channel.direction, channel.index}) +
           ": under its control program: expected " + stream_text(d, expected, at) + ", found " +
           stream_text(d, found, at);
  }
  return "";
}

std::vector<StreamCut> stream_cuts(const Design& d) {
  std::vector<StreamCut> cuts;
  const int columns = d.target->all_columns();
  const int rows = d.target->array_rows();
  const auto name = [](int row) {
    return row == 0   ? std::string("shims")
           : row == 1 ? "mem tiles"
                      : "row " + std::to_string(row - 2) + " of cores";
  };
  for (int row = 0; row <= rows; ++row) {
    const StreamPorts& below = row == 0 ? kShimPorts : row == 1 ? kMemPorts : kCorePorts;
    const StreamPorts& above = row == 0 ? kMemPorts : kCorePorts;
    cuts.push_back(
        {"from " + name(row) + " to " + name(row + 1),
         crossing(d, [&](TileId from,
                         TileId to) { return array_row(from) <= row && array_row(to) > row; }),
         columns * below.north});
    cuts.push_back(
        {"from " + name(row + 1) + " to " + name(row),
         crossing(d, [&](TileId from,
                         TileId to) { return array_row(from) > row && array_row(to) <= row; }),
         columns * above.south});
  }
  for (int column = 0; column + 1 < columns; ++column) {
    std::string east = "from column " + std::to_string(column);
    east += " to " + std::to_string(column + 1);
    std::string west = "from column " + std::to_string(column + 1);
    west += " to " + std::to_string(column);
    cuts.push_back(
        {std::move(east),
         crossing(d, [&](TileId from,
                         TileId to) { return from.column <= column && to.column > column; }),
         kShimPorts.east + rows * kCorePorts.east});
    cuts.push_back(
        {std::move(west),
         crossing(d, [&](TileId from,
                         TileId to) { return from.column > column && to.column <= column; }),
         kShimPorts.west + rows * kCorePorts.west});
  }
  return cuts;
}

void check_streams(const Design& design, Problems& problems) {
  StreamChecker(design, problems).run();
}

}  // namespace wnpu::npu
