// Lower bounds of a call's time, part by part, from its Design alone: nothing is simulated. The sum
// of these parts is the roofline of a layer with its controller, and a bound that the time model
// keeps.
//
// Good for the calls of layers and for plain products. Rests on what no order of streams avoids:
//   a core does its tasks one after the other
//   a core's port has two slots, so that of its phase's elements all but two come while it works
//   of a row's elements, which all cores of the row take, two are at work at a time: the third has
//   no slot before the first is done
//   a residual comes after the last step and before the next first one
//   what all cores of a row make, one after the other passes through two streams before it is used
#pragma once

#include <cstdint>

#include "npu/design/design.h"
#include "npu/design/target.h"

namespace wnpu::npu {

// Cycles, but for the counts.
struct CallParts {
  double cores = 0;    // phases one after the other, with the waits that nothing avoids
  double busy = 0;     // the tasks of a core alone
  double streams = 0;  // the busiest channel
  double ddr_read = 0;
  double ddr_write = 0;
  double start = 0;       // of the controller, before the first core begins
  double controller = 0;  // to give all tasks, without their descriptors
  double n_barriers = 0;  // phases that wait for all of the one before
  double n_tasks = 0;
  std::uint64_t ddr_bytes = 0;

  double bound() const;  // the largest of what goes on at the same time
};

CallParts call_parts(const Design& design, const HardwareModel& preset);

}  // namespace wnpu::npu
