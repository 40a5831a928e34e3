#include "npu/control/tile_config.h"

#include <algorithm>
#include <string_view>

namespace wnpu::npu {
namespace {

constexpr std::string_view kPortNames[kPorts] = {"A", "B", "C"};

std::string without_blanks(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return name;
}

// Port that a core's channel serves: A and B come in on 0 and 1, C goes out.
Port core_port(const Channel& c) {
  if (c.direction == Direction::mm2s) return Port::c;
  return c.index == 0 ? Port::a : Port::b;
}

class ConfigBuilder {
 public:
  ConfigBuilder(const Overlay& overlay, TileId tile) : d_(overlay) { config_.tile = tile; }

  TileConfig build() {
    add_buffers();
    add_locks();
    for (const Channel& c : d_.channels) {
      if (c.tile == config_.tile) add_ring(c);
    }
    return std::move(config_);
  }

 private:
  void add_buffers() {
    for (const CoreBuffer& b : d_.core.buffers) {
      for (int i = 0; i < b.depth; ++i) {
        const std::size_t address = b.offset + static_cast<std::size_t>(i) * b.bytes;
        const std::string number = b.depth > 1 ? std::to_string(i) : "";
        config_.buffers.push_back(
            {without_blanks(b.name) + number, address, b.bytes, address / kBankBytes});
      }
    }
    std::ranges::sort(config_.buffers, {}, &TileBuffer::address);
  }

  void add_locks() {
    for (std::size_t port = 0; port < kPorts; ++port) {
      const PortLocks& locks = d_.core.locks[port];
      const std::string name(kPortNames[port]);
      config_.locks.push_back({name + "_free", locks.free, d_.core.buffers[port].depth});
      config_.locks.push_back({name + "_full", locks.full, 0});
    }
    config_.locks.push_back({"headers_ready", d_.core.header_lock, 0});
    std::ranges::sort(config_.locks, {}, &TileLock::id);
  }

  std::size_t buffer_at(std::size_t address) const {
    const auto found = std::ranges::find(config_.buffers, address, &TileBuffer::address);
    return static_cast<std::size_t>(found - config_.buffers.begin());
  }

  void add_ring(const Channel& c) {
    const auto port = static_cast<std::size_t>(core_port(c));
    const CoreBuffer& buffer = d_.core.buffers[port];
    const PortLocks& locks = d_.core.locks[port];
    const bool is_in = c.direction == Direction::s2mm;
    ChannelRing ring{c.direction, c.index, {}};
    for (int i = 0; i < buffer.depth; ++i) {
      const std::size_t address = buffer.offset + static_cast<std::size_t>(i) * buffer.bytes;
      ring.descriptors.push_back({n_descriptors_++, buffer_at(address),
                                  is_in ? locks.free : locks.full,
                                  is_in ? locks.full : locks.free});
    }
    config_.rings.push_back(std::move(ring));
  }

  const Overlay& d_;
  TileConfig config_;
  int n_descriptors_ = 0;
};

}  // namespace

std::vector<TileConfig> core_configs(const Overlay& overlay) {
  std::vector<TileConfig> configs;
  for (int row = 0; row < overlay.target->core_rows; ++row) {
    for (int column = 0; column < overlay.target->columns; ++column) {
      configs.push_back(ConfigBuilder(overlay, {TileKind::core, column, row}).build());
    }
  }
  return configs;
}

}  // namespace wnpu::npu
