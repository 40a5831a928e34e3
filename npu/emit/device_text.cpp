#include <algorithm>

#include "npu/control/registers.h"
#include "npu/control/tile_config.h"
#include "npu/emit/module_parts.h"

namespace wnpu::npu {
namespace {

using mlir::identifier;
using mlir::tile_value;

// "2_3" of a core's tile, column and row of the array.
std::string place(TileId tile) {
  return std::to_string(tile.column) + "_" + std::to_string(array_row(tile));
}

std::string port(const Channel& channel) {
  return tile_value(channel.tile) + ", DMA : " + std::to_string(channel.index);
}

class DeviceWriter {
 public:
  explicit DeviceWriter(const Design& design) : d_(design) {}

  std::string write() {
    add_tiles();
    for (const Link& link : d_.links) add_link(link);
    for (const TokenRoute& route : d_.token_routes) add_token_route(route);
    add_shim_allocations();
    for (const TileConfig& config : core_configs(d_)) add_core(config);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += "  " + text + "\n"; }

  void add_tile(TileId tile) {
    const TokenRoute* const route = d_.token_route(tile);
    line(tile_value(tile) + " = aie.tile(" + std::to_string(tile.column) + ", " +
         std::to_string(array_row(tile)) + ")" +
         (route == nullptr ? ""
                           : " {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = " +
                                 std::to_string(route->packet_id) + ">}"));
  }

  void add_tiles() {
    for (int column = 0; column < d_.target->columns; ++column) {
      add_tile({TileKind::shim, column, 0});
      add_tile({TileKind::mem, column, 0});
      for (int row = 0; row < d_.target->core_rows; ++row) {
        add_tile({TileKind::core, column, row});
      }
    }
  }

  void add_link(const Link& link) {
    const Channel& from = d_.channels[link.source];
    line("// " + link.name);
    if (link.packet_id == kCircuit) {
      for (const std::size_t sink : link.sinks) {
        line("aie.flow(" + port(from) + ", " + port(d_.channels[sink]) + ")");
      }
      return;
    }
    line("aie.packet_flow(" + std::to_string(link.packet_id) + ") {");
    line(" aie.packet_source<" + port(from) + ">");
    for (const std::size_t sink : link.sinks) {
      line(" aie.packet_dest<" + port(d_.channels[sink]) + ">");
    }
    line("}");
  }

  void add_token_route(const TokenRoute& route) {
    line("// tokens of " + tile_name(route.tile));
    line("aie.packet_flow(" + std::to_string(route.packet_id) + ") {");
    line(" aie.packet_source<" + tile_value(route.tile) + ", TileControl : 0>");
    line(" aie.packet_dest<" + tile_value({TileKind::shim, route.tile.column, 0}) + ", South : 0>");
    line("} {keep_pkt_header = true, priority_route = true}");
  }

  // The first link of a shim's channel names it.
  void add_shim_allocations() {
    for (std::size_t i = 0; i < d_.channels.size(); ++i) {
      const Channel& channel = d_.channels[i];
      if (channel.tile.kind != TileKind::shim) continue;
      line("aie.shim_dma_allocation @" + identifier(link_of(i).name) + " (" +
           tile_value(channel.tile) + ", " + std::string(mlir::direction_name(channel.direction)) +
           ", " + std::to_string(channel.index) + ")");
    }
  }

  const Link& link_of(std::size_t channel) const {
    for (const Link& link : d_.links) {
      if (link.source == channel) return link;
      for (const std::size_t sink : link.sinks) {
        if (sink == channel) return link;
      }
    }
    throw ControlError(tile_name(d_.channels[channel].tile) + ": expected a link of channel " +
                       std::to_string(d_.channels[channel].index));
  }

  void add_lock(const TileConfig& config, const TileLock& lock, const std::string& at) {
    line("%" + lock.name + at + " = aie.lock(" + tile_value(config.tile) + ", " +
         std::to_string(lock.id) + ") {init = " + std::to_string(lock.initial) +
         " : i32, sym_name = \"" + lock.name + at + "\"}");
  }

  void add_core(const TileConfig& config) {
    const std::string at = "_" + place(config.tile);
    line("// " + tile_name(config.tile));
    for (const TileBuffer& b : config.buffers) {
      line("%" + b.name + at + " = aie.buffer(" + tile_value(config.tile) +
           ") {address = " + std::to_string(b.address) + " : i32, sym_name = \"" + b.name + at +
           "\"} : " + mlir::memref(b.bytes, "i8"));
    }
    for (const TileLock& lock : config.locks) add_lock(config, lock, at);
    add_dma(config, at);
    line("%core" + at + " = aie.core(" + tile_value(config.tile) + ") {");
    line(" aie.end");
    line("} {elf_file = \"" + std::string(kCoreElf) +
         "\", stack_size = " + std::to_string(d_.core.stack_bytes) + " : i32}");
  }

  static std::string lock_value(const TileConfig& config, int id, const std::string& at) {
    for (const TileLock& lock : config.locks) {
      if (lock.id == id) return "%" + lock.name + at;
    }
    throw ControlError(tile_name(config.tile) + ": no lock " + std::to_string(id));
  }

  void add_dma(const TileConfig& config, const std::string& at) {
    line("%dma" + at + " = aie.mem(" + tile_value(config.tile) + ") {");
    line(" %one = arith.constant 1 : i32");
    for (std::size_t i = 0; i < config.rings.size(); ++i) {
      const ChannelRing& ring = config.rings[i];
      text_ += "   %" + std::to_string(i) + " = aie.dma(" +
               std::string(mlir::direction_name(ring.direction)) + ", " +
               std::to_string(ring.channel) + ") [{\n";
      for (const RingDescriptor& d : ring.descriptors) add_descriptor(config, d, at);
      text_.replace(text_.size() - sizeof("}, {"), std::string::npos, "}]\n");
    }
    line(" aie.end");
    line("}");
  }

  void add_descriptor(const TileConfig& config, const RingDescriptor& d, const std::string& at) {
    const TileBuffer& buffer = config.buffers[d.buffer];
    line("  aie.use_lock(" + lock_value(config, d.acquire, at) + ", AcquireGreaterEqual, %one)");
    line("  aie.dma_bd(%" + buffer.name + at + " : " + mlir::memref(buffer.bytes, "i8") +
         ") {bd_id = " + std::to_string(d.id) + " : i32}");
    line("  aie.use_lock(" + lock_value(config, d.release, at) + ", Release, %one)");
    line(" }, {");
  }

  const Design& d_;
  std::string text_;
};

}  // namespace

std::string device_text(const Design& design) { return DeviceWriter(design).write(); }

}  // namespace wnpu::npu

namespace wnpu::npu::mlir {

std::string tile_value(TileId tile) {
  return "%t_" + std::to_string(tile.column) + "_" + std::to_string(array_row(tile));
}

std::string_view direction_name(Direction direction) {
  return direction == Direction::s2mm ? "S2MM" : "MM2S";
}

std::string memref(std::size_t elements, std::string_view element) {
  return "memref<" + std::to_string(elements) + "x" + std::string(element) + ">";
}

std::string identifier(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(
      result,
      [](char c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !is_letter && !(c >= '0' && c <= '9');
      },
      '_');
  return result;
}

std::string signed_word(std::uint32_t word) {
  return std::to_string(static_cast<std::int32_t>(word));
}

}  // namespace wnpu::npu::mlir
