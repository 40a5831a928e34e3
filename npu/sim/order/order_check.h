// OrderCheck: whether locks, tokens and streams order the accesses to every place of a call,
// however long anything takes. A run tells it what happens; what it finds does not depend on that
// run's times, but on which of the possible orders of lock releases the run has taken.
//
// Certain are: the order of what one agent does; that an acquire comes after the releases without
// which it would still wait; a task after it was given; what waits for a token after the task that
// sent it; what comes out of a stream after it went in. That a stream is full orders nothing.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "npu/design/design.h"
#include "npu/sim/order/access_history.h"
#include "npu/sim/order/lock_order.h"

namespace wnpu::npu {

class OrderCheck {
 public:
  static constexpr std::size_t kEnough = 5;  // more faults say nothing new

  // The design's transfers say which bytes mean something, and name places. It has to live as long.
  explicit OrderCheck(const Design& design);

  // Channels are those of Overlay::channels.
  static AgentId of_channel(std::size_t channel) { return static_cast<AgentId>(channel); }
  AgentId of_core(std::size_t core) const {
    return static_cast<AgentId>(design_.channels.size() + core);
  }

  // Controller operations.
  void set_lock(TileId tile, int lock, int value);
  void write_descriptor(TileId tile, int descriptor);
  void give_task(std::size_t channel, std::span<const int> descriptors);
  void take_token(std::size_t channel);
  void end_program();  // all that goes to DDR has to have come

  void begin_task(std::size_t channel);
  void end_task(std::size_t channel, bool sends_token);

  // `left`: the lock's value after it was taken.
  void acquire(AgentId agent, TileId tile, int lock, int left);
  void release(AgentId agent, TileId tile, int lock, int units);

  enum class Kind { read, write };
  // The next bytes of a channel of a shim or mem tile, from `position` of the pattern on.
  void move(std::size_t channel, const WordPattern& pattern, std::uint64_t position,
            std::uint64_t bytes, Kind kind);
  // A slot of a core's port, by its channel or its program.
  void use_slot(AgentId agent, std::size_t core, std::size_t port, std::uint32_t slot, Kind kind);
  // Sends what the source has read to the sink. If two sources share it, the second has to come
  // after all that the first has sent, since an arbiter takes any.
  void send(std::size_t source, std::size_t sink);
  void end_send(std::size_t source);

  const std::vector<std::string>& faults() const { return faults_; }

 private:
  // A channel's place in its transfers.
  struct Cursor {
    std::size_t transfer = 0;
    std::uint32_t element = 0;
    std::uint64_t byte = 0;  // of the element and its padding
  };
  struct Tasks {
    std::size_t n_given = 0;
    std::deque<Clocks> given;          // not begun
    std::vector<std::uint32_t> ended;  // the channel's tick
    std::deque<Clocks> tokens;         // not taken
  };
  // Who has sent to a sink, and how far the sink was then.
  struct Sender {
    std::size_t source = kNone;
    std::uint32_t tick = 0;
  };
  // A descriptor's last task.
  struct User {
    std::size_t channel = 0;
    std::size_t task = 0;  // counted from 1
  };
  // Bytes that one transfer moves one after the other, or those of its padding.
  struct Stretch {
    std::uint64_t bytes = 0;
    std::size_t transfer = 0;
    bool is_padding = false;
  };

  AgentId controller() const { return static_cast<AgentId>(now_.size() - 1); }
  LockOrder& lock_of(TileId tile, int lock);
  std::size_t known_ends(std::size_t channel) const;
  Stretch next_stretch(std::size_t channel, std::uint64_t most);
  std::uint32_t add_event(AgentId agent, std::size_t transfer);
  void access(std::uint32_t event, std::size_t memory, WordRun run, Kind kind);
  void add_fault(const std::string& fault);
  void add_conflict(const AccessHistory::Event& later, Kind kind, std::size_t memory,
                    const AccessHistory::Conflict& conflict);
  std::string agent_name(AgentId agent) const;
  std::string access_text(const AccessHistory::Event& event, bool is_write) const;
  std::string place_text(std::size_t memory, std::uint64_t word) const;

  const Design& design_;
  std::size_t n_arguments_;
  std::vector<Clocks> now_;  // by agent; the controller is the last
  std::vector<Cursor> cursors_;
  std::vector<Tasks> tasks_;
  std::vector<Sender> senders_;  // by sink
  std::map<std::tuple<TileKind, int, int, int>, LockOrder> locks_;
  std::map<std::tuple<TileKind, int, int>, User> users_;
  AccessHistory history_;
  std::set<std::pair<AgentId, AgentId>> reported_;  // who was in conflict with whom
  std::vector<std::string> faults_;
};

}  // namespace wnpu::npu
