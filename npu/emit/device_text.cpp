#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "npu/control/registers.h"
#include "npu/emit/module_parts.h"

namespace wnpu::npu {
namespace {

using mlir::identifier;
using mlir::tile_value;

// "2_3" of a core's tile, column and row of the array.
std::string place(TileId tile) {
  return std::to_string(tile.column) + "_" + std::to_string(array_row(tile));
}

constexpr std::string_view kPortNames[kPorts] = {"A", "B", "C"};

// Port that a core's channel serves: A and B come in on 0 and 1, C goes out.
std::size_t core_port(const Channel& channel) {
  return static_cast<std::size_t>(channel.direction == Direction::mm2s ? 2 : channel.index);
}

std::string lock_value(std::size_t port, const char* end, const std::string& at) {
  return "%" + std::string(kPortNames[port]) + end + at;
}

// Element `i` of a buffer of a core; no blanks.
std::string element_name(const CoreBuffer& buffer, int i) {
  std::string name = buffer.name + (buffer.depth > 1 ? std::to_string(i) : "");
  std::ranges::replace(name, ' ', '_');
  return name;
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
    for (int row = 0; row < d_.target->array_rows(); ++row) {
      for (int column = 0; column < d_.target->all_columns(); ++column) {
        add_core({TileKind::core, column, row});
      }
    }
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
    for (int column = 0; column < d_.target->all_columns(); ++column) {
      add_tile({TileKind::shim, column, 0});
      add_tile({TileKind::mem, column, 0});
      for (int row = 0; row < d_.target->array_rows(); ++row) {
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

  // By address.
  void add_buffers(TileId core, const std::string& at) {
    std::vector<CoreBuffer> buffers = d_.core.buffers;
    std::ranges::sort(buffers, {}, &CoreBuffer::offset);
    for (const CoreBuffer& b : buffers) {
      for (int i = 0; i < b.depth; ++i) {
        const std::string name = element_name(b, i) + at;
        line("%" + name + " = aie.buffer(" + tile_value(core) +
             ") {address = " + std::to_string(b.offset + static_cast<std::size_t>(i) * b.bytes) +
             " : i32, sym_name = \"" + name + "\"} : " + mlir::memref(b.bytes, "i8"));
      }
    }
  }

  // By their numbers.
  void add_locks(TileId core, const std::string& at) {
    std::map<int, std::pair<std::string, int>> locks;  // name and initial value
    for (std::size_t port = 0; port < kPorts; ++port) {
      const std::string name(kPortNames[port]);
      locks[d_.core.locks[port].free] = {name + "_free", d_.core.buffers[port].depth};
      locks[d_.core.locks[port].full] = {name + "_full", 0};
    }
    locks[d_.core.header_lock] = {"headers_ready", 0};
    for (const auto& [id, lock] : locks) {
      const std::string name = lock.first + at;
      line("%" + name + " = aie.lock(" + tile_value(core) + ", " + std::to_string(id) +
           ") {init = " + std::to_string(lock.second) + " : i32, sym_name = \"" + name + "\"}");
    }
  }

  // Static configuration of a core's tile, set once for every call. (A mem tile's locks and
  // descriptors, and a shim's, are the calls'.)
  void add_core(TileId core) {
    const std::string at = "_" + place(core);
    line("// " + tile_name(core));
    add_buffers(core, at);
    add_locks(core, at);
    add_dma(core, at);
    line("%core" + at + " = aie.core(" + tile_value(core) + ") {");
    line(" aie.end");
    line("} {elf_file = \"" + std::string(kCoreElf) +
         "\", stack_size = " + std::to_string(d_.core.stack_bytes) + " : i32}");
  }

  void add_dma(TileId core, const std::string& at) {
    line("%dma" + at + " = aie.mem(" + tile_value(core) + ") {");
    line(" %one = arith.constant 1 : i32");
    int n_channels = 0;
    int n_descriptors = 0;
    for (const Channel& channel : d_.channels) {
      if (channel.tile != core) continue;
      line(" %" + std::to_string(n_channels++) + " = aie.dma(" +
           std::string(mlir::direction_name(channel.direction)) + ", " +
           std::to_string(channel.index) + ") [{");
      const int depth = d_.core.buffers[core_port(channel)].depth;
      for (int i = 0; i < depth; ++i) {
        add_descriptor(channel, i, n_descriptors++, at);
        line(i + 1 < depth ? " }, {" : " }]");
      }
    }
    line(" aie.end");
    line("}");
  }

  // A descriptor of a channel that repeats for ever: element `i` of its port's buffer, whole.
  void add_descriptor(const Channel& channel, int i, int id, const std::string& at) {
    const std::size_t port = core_port(channel);
    const CoreBuffer& buffer = d_.core.buffers[port];
    const bool is_in = channel.direction == Direction::s2mm;
    line("  aie.use_lock(" + lock_value(port, is_in ? "_free" : "_full", at) +
         ", AcquireGreaterEqual, %one)");
    line("  aie.dma_bd(%" + element_name(buffer, i) + at + " : " +
         mlir::memref(buffer.bytes, "i8") + ") {bd_id = " + std::to_string(id) + " : i32}");
    line("  aie.use_lock(" + lock_value(port, is_in ? "_full" : "_free", at) + ", Release, %one)");
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
