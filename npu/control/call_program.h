// A call's control program: its tasks in one order, each with the waits that make it safe, since
// there is one controller and what it waits for holds back everything behind.
#pragma once

#include <span>
#include <vector>

#include "npu/control/channel_tasks.h"
#include "npu/control/control_program.h"

namespace wnpu::npu {

// Tasks of a channel have ended, from its first on.
struct TasksEnded {
  std::size_t channel = 0;
  std::size_t tasks = 0;
};

// A task with its place in the channel's descriptors and what has to have ended before it is given.
struct PlannedTask {
  ChannelTask task;
  std::vector<int> descriptors;  // of the tile, one for each of the chain
  bool is_written = true;        // else they hold the chain already
  std::vector<TasksEnded> after;
};

// The tasks of every channel; none for cores'. A task waits until its channel's queue has room,
// until the last task with its descriptors has ended, and until the tasks have that its transfer's
// token counts. Throws ControlError for a token that no whole tasks count.
std::vector<std::vector<PlannedTask>> plan_tasks(const Design& design);

// One task of a plan.
struct TaskId {
  std::size_t channel = 0;
  std::size_t task = 0;
};

struct CallProgram {
  ControlProgram program;
  std::size_t n_tasks = 0;
  std::size_t n_descriptors = 0;  // written
};

// Control program of a call: its start (call_start.h), then the tasks. `order`: every task of the
// plan once, those of a channel in their order. At the end the program waits for all that goes to
// DDR. Tasks that nobody waits for send no token, for the next call would take it for one of its
// own.
CallProgram call_program(const Design& design, const std::vector<std::vector<PlannedTask>>& plan,
                         std::span<const TaskId> order);

}  // namespace wnpu::npu
