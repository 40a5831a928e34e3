// Vector clocks: what is certain to have happened before what, whatever the time that anything
// takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wnpu::npu {

// Agent: acts in sequence, and waits for others only where it is made to: a DMA channel, the
// program of a core, the controller.
using AgentId = std::uint32_t;

// Something that an agent has done: the count of its ticks then, from 1 on.
struct Moment {
  AgentId agent = 0;
  std::uint32_t tick = 0;
};

// Vector clock: for each agent, how far it is certain to have come.
class Clocks {
 public:
  explicit Clocks(std::size_t n_agents) : ticks_(n_agents) {}
  void join(const Clocks& other) {
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
      ticks_[i] = std::max(ticks_[i], other.ticks_[i]);
    }
  }
  void tick(AgentId agent) { ++ticks_[agent]; }
  std::uint32_t of(AgentId agent) const { return ticks_[agent]; }
  bool has(Moment moment) const { return ticks_[moment.agent] >= moment.tick; }

 private:
  std::vector<std::uint32_t> ticks_;
};

}  // namespace wnpu::npu
