// ChannelWork: what the channels of shim and mem tiles move next. The simulation asks it and has
// two answers: a Design's transfers (transfer_work.h), and descriptors in registers
// (descriptor_work.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "npu/design/design.h"

namespace wnpu::npu {

// Channels that are looked at again when something changes, each once.
using Waiters = std::vector<std::size_t>;

inline void add_waiter(Waiters& waiters, std::size_t channel) {
  if (std::ranges::find(waiters, channel) == waiters.end()) waiters.push_back(channel);
}

// Data that a channel moves between two changes of its locks: an element, or one use of a
// descriptor. Its bytes pass in one move or in several, as the other ends of the stream have room.
struct Piece {
  std::uint64_t bytes = 0;
  std::uint64_t moved = 0;
  // Link that a source's piece goes to, or the only one that a sink's may come from; kNone: the
  // registers do not say.
  std::size_t link = kNone;
  // Bytes without padding. 0: the registers do not say.
  std::uint64_t meant = 0;
  bool is_cold = false;  // no request of the channel was on its way to DDR before it
};

class ChannelWork {
 public:
  virtual ~ChannelWork() = default;
  // Begins the channel's next piece and takes its lock; or gives the list of those that wait for
  // what it lacks. As in hardware an end of a stream does not wait for the other to do so.
  virtual Waiters* begin(std::size_t channel, Piece& piece) = 0;
  // All bytes of the piece have moved. True: a token is on its way to the controller.
  virtual bool end(std::size_t channel) = 0;
  // Unfinished work, for the report of a deadlock; empty if there is none.
  virtual std::string unfinished() const = 0;

  void wake(Waiters& waiters) {
    woken_.insert(woken_.end(), waiters.begin(), waiters.end());
    waiters.clear();
  }
  Waiters& woken() { return woken_; }

 private:
  Waiters woken_;  // by the event at hand
};

}  // namespace wnpu::npu
