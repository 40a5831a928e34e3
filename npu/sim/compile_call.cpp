#include "npu/sim/compile_call.h"

#include <algorithm>
#include <tuple>

namespace wnpu::npu {
namespace {

using PlannedTasks = std::vector<std::vector<PlannedTask>>;

// A task, the earliest time at which all that it waits for has happened, and when it began.
struct Candidate {
  double ready = 0;
  double start = 0;
  TaskId id;
};

// Times of a channel's tasks in the ideal run.
struct TaskTimes {
  std::vector<double> start, end;
};

TaskTimes times_of(const std::vector<PlannedTask>& tasks, const std::vector<Move>& moves) {
  TaskTimes times;
  std::size_t element = 0;
  for (const PlannedTask& planned : tasks) {
    times.start.push_back(moves[element].start);
    element += planned.task.elements;
    times.end.push_back(moves[element - 1].end);
  }
  return times;
}

// When the last of what a task waits for has ended.
double end_of(const std::vector<TasksEnded>& after, const std::vector<TaskTimes>& times) {
  double end = 0;
  for (const TasksEnded& ended : after) {
    end = std::max(end, times[ended.channel].end[ended.tasks - 1]);
  }
  return end;
}

std::vector<TaskId> order_of(const PlannedTasks& plan,
                             const std::vector<std::vector<Move>>& moves) {
  std::vector<TaskTimes> times(plan.size());
  for (std::size_t c = 0; c < plan.size(); ++c) times[c] = times_of(plan[c], moves[c]);
  std::vector<Candidate> candidates;
  for (std::size_t c = 0; c < plan.size(); ++c) {
    double ready = 0;
    for (std::size_t k = 0; k < plan[c].size(); ++k) {
      ready = std::max(ready, end_of(plan[c][k].after, times));
      candidates.push_back({ready, times[c].start[k], {c, k}});
    }
  }
  std::ranges::sort(candidates, [](const Candidate& x, const Candidate& y) {
    return std::tie(x.ready, x.start, x.id.channel, x.id.task) <
           std::tie(y.ready, y.start, y.id.channel, y.id.task);
  });
  std::vector<TaskId> order(candidates.size());
  std::ranges::transform(candidates, order.begin(), &Candidate::id);
  return order;
}

}  // namespace

CompiledCall compile_call(const Design& design, const HardwareModel& preset) {
  SimOptions options;
  options.preset = &preset;
  options.records_moves = true;
  CompiledCall call;
  call.ideal = simulate(design, options);
  const PlannedTasks plan = plan_tasks(design);
  call.program = call_program(design, plan, order_of(plan, call.ideal.moves));
  call.ideal.moves.clear();
  return call;
}

CallProgram control_program(const Design& design) {
  HardwareModel order = find_preset(usual_preset(*design.target));
  order.kernels.bf16_mac_per_cycle.value = 48.3;
  order.kernels.attention_mac_per_cycle.value = 48;
  return compile_call(design, order).program;
}

TimedCall time_call(const Design& design, const HardwareModel& preset, bool records_moves,
                    OrderCheck* order) {
  TimedCall timed;
  timed.program = control_program(design);
  SimOptions options;
  options.preset = &preset;
  options.records_moves = records_moves;
  options.costs = &controller_of(preset);
  options.order = order;
  timed.report = simulate(encoded_call(design, timed.program.program), options, {});
  return timed;
}

}  // namespace wnpu::npu
