// DescriptorWork: the DMAs of shim and mem tiles as their registers have them, written by a control
// program: descriptors, locks, and tasks in a queue a channel. Nothing else says what they move.
//
// What silicon would answer by a wrong byte, a lost task or an error is refused: SimulationError
// with the tile, what was expected and what was found. So is what a descriptor can ask for and no
// program of ours does: zeros around the data, streams without an end, waits for an exact value.
// Burst and cache attributes, and the type of a packet, change nothing here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npu/control/control_program.h"
#include "npu/sim/channel_work.h"
#include "npu/sim/order/order_check.h"
#include "npu/sim/order/word_pattern.h"

namespace wnpu::npu {

class DescriptorWork final : public ChannelWork {
 public:
  // All have to live as long; `order` may be null.
  DescriptorWork(const Overlay& overlay, std::span<const std::size_t> argument_bytes,
                 std::string_view call, OrderCheck* order);

  // The controller's operations.
  void apply(const WriteDescriptor& write);
  void apply(const PatchAddress& patch);
  void apply(const RouteTokens& route);
  void apply(const PushTask& push);
  void apply(const SetLock& set);
  // Into Overlay::channels.
  std::size_t channel_of(const DmaPort& port) const;

  Waiters* begin(std::size_t channel, Piece& piece) override;
  bool end(std::size_t channel) override;
  std::string unfinished() const override;
  // Word pattern of the channel's piece.
  const WordPattern& pattern(std::size_t channel) const { return channels_[channel].pattern; }

 private:
  struct Descriptor {
    std::optional<BufferDescriptor> content;
    std::optional<PatchAddress> patch;  // shim
    int users = 0;                      // tasks that have not ended
  };
  // Lock state; empty value: unknown, left from before the call.
  struct LockState {
    std::optional<int> value;
    Waiters waiters;
  };
  struct Tile {
    TileId id;
    std::vector<Descriptor> descriptors;
    std::vector<LockState> locks;
  };
  struct Task {
    std::vector<int> chain;  // descriptors, in their order
    std::uint32_t repeats = 1;
    bool has_token = false;
    bool is_cold = false;  // the channel had no other when it was given
  };
  struct State {
    std::vector<Task> tasks;  // the first runs
    std::uint32_t repeat = 0;
    std::size_t place = 0;  // in the chain
    bool has_route = false;
    WordPattern pattern;
    Waiters waiters;
  };

  Tile& tile_of(TileId id);
  Tile& tile_of(std::size_t channel) { return tile_of(overlay_.channels[channel].tile); }
  Descriptor& running(std::size_t channel);
  Descriptor& unused_descriptor(TileId tile, int descriptor);
  std::vector<int> chain_of(std::size_t channel, int first);
  void require_ready(std::size_t channel, int descriptor);
  bool reaches(std::size_t channel, int column) const;
  // The lock that a channel calls so.
  struct LockPlace {
    TileId tile;
    int index = 0;
  };
  LockPlace lock_place(std::size_t channel, int id) const;
  LockState& seen_lock(std::size_t channel, int id);
  Waiters* take(std::size_t channel, const LockChange& change);
  void give(std::size_t channel, const LockChange& change);
  WordPattern pattern_of(std::size_t channel, const Descriptor& descriptor);
  void place_in_argument(std::size_t channel, const Descriptor& descriptor, WordPattern& pattern);
  void place_in_mem_tile(std::size_t channel, const BufferDescriptor& content,
                         WordPattern& pattern);
  std::uint64_t reach_of(std::size_t channel, const BufferDescriptor& content);
  std::size_t link_of(std::size_t channel, const BufferDescriptor& content);
  void require_plain(std::size_t channel, const BufferDescriptor& content);

  [[noreturn]] void refuse(const std::string& what, const std::string& expected,
                           const std::string& found) const;
  std::string name(std::size_t channel) const;
  std::string running_name(std::size_t channel) const;

  const Overlay& overlay_;
  std::span<const std::size_t> argument_bytes_;
  std::string_view call_;
  OrderCheck* order_;
  std::vector<Tile> tiles_;  // shims, mem tiles
  std::vector<State> channels_;
};

}  // namespace wnpu::npu
