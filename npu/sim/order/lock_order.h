// LockOrder: what an acquire of a counting lock is certain to come after.
#pragma once

#include <deque>
#include <vector>

#include "npu/sim/order/clocks.h"

namespace wnpu::npu {

class LockOrder {
 public:
  // The controller writes the value, whatever it was.
  void set(AgentId controller, int value, const Clocks& clocks) {
    releases_.clear();
    release(controller, value, clocks);
  }

  void release(AgentId agent, int units, const Clocks& clocks) {
    for (Releases& of : releases_) {
      if (of.agent != agent) continue;
      of.all.push_back({units, clocks});
      return;
    }
    releases_.push_back({agent, {{units, clocks}}, 0});
  }

  // `left`: the lock's value afterwards. A release was needed where it and all that came after it,
  // by whatever made them wait, are more than what is left: without it the acquire would still
  // wait. Joins what was needed to the clocks of who acquires. Releases that this run had not seen
  // by now might have come instead, at other speeds: those it does not know.
  void acquire(int left, Clocks& clocks) {
    for (Releases& of : releases_) of.n_needed = n_needed(of, left);
    for (Releases& of : releases_) {
      if (of.n_needed == 0) continue;
      clocks.join(of.all[of.n_needed - 1].clocks);
      of.all.erase(of.all.begin(), of.all.begin() + static_cast<std::ptrdiff_t>(of.n_needed - 1));
    }
  }

 private:
  struct Release {
    int units = 0;
    Clocks clocks;
  };
  struct Releases {
    AgentId agent = 0;
    std::deque<Release> all;   // from the last on that was needed
    std::size_t n_needed = 0;  // of these, by the acquire at hand
  };

  std::size_t n_needed(const Releases& of, int left) const {
    std::size_t n = of.all.size();
    while (n > 0 && units_behind({of.agent, of.all[n - 1].clocks.of(of.agent)}) <= left) --n;
    return n;
  }

  // Units of the release at that moment and of all releases after it.
  int units_behind(Moment moment) const {
    int units = 0;
    for (const Releases& of : releases_) {
      for (std::size_t i = of.all.size(); i-- > 0 && of.all[i].clocks.has(moment);) {
        units += of.all[i].units;
      }
    }
    return units;
  }

  std::vector<Releases> releases_;
};

}  // namespace wnpu::npu
