// The controller of ArraySimulation: the operations of a control program, one after the other.
#include <algorithm>

#include "npu/control/call_start.h"
#include "npu/sim/array_simulation.h"

namespace wnpu::npu {

bool ArraySimulation::has_task(std::size_t channel) const {
  const ChannelState& state = channels_[channel];
  return options_.program == nullptr || is_core(channel) || state.moved < state.given;
}

// Goes on to the next operation unless it waits for a task that has not ended.
void ArraySimulation::advance_controller() {
  const CallProgram& program = *options_.program;
  if (controller_.is_busy || controller_.next == program.steps.size()) return;
  const ControlStep& step = program.steps[controller_.next];
  if (step.kind == ControlStep::Kind::wait && channels_[step.channel].moved < step.end) {
    if (controller_.waiting_since < 0) controller_.waiting_since = now_;
    return;
  }
  if (controller_.waiting_since >= 0) {
    report_.controller.waiting += now_ - controller_.waiting_since;
    controller_.waiting_since = -1;
  }
  const double cycles = cycles_of(program.program.operations[controller_.next], *options_.costs);
  controller_.is_busy = true;
  report_.controller.busy += cycles;
  schedule(now_ + cycles, EventKind::operation_ends, 0);
}

void ArraySimulation::end_operation() {
  const ControlStep& step = options_.program->steps[controller_.next];
  if (step.kind == ControlStep::Kind::start) give_task(step);
  if (step.kind == ControlStep::Kind::write) {
    apply(options_.program->program.operations[controller_.next]);
  }
  controller_.is_busy = false;
  ++controller_.next;
  ++report_.controller.operations;
  report_.controller.finished = now_;
  if (controller_.next == options_.program->steps.size()) require_last_phase();
  advance_controller();
}

// What an operation means besides tasks: headers in cores, or values of locks.
void ArraySimulation::apply(const Operation& operation) {
  if (const auto* block = std::get_if<WriteBlock>(&operation)) {
    const auto place = data_at(block->address);
    if (place) write_headers(*place, block->words);
  } else if (const auto* lock = std::get_if<SetLock>(&operation)) {
    if (lock->tile.kind == TileKind::core) {
      set_core_lock(*lock);
    } else {
      set_lock(*lock);
    }
  }
}

void ArraySimulation::set_lock(const SetLock& set) {
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    if (design_.locks[i].tile != set.tile || lock_id(design_, i) != set.lock) continue;
    locks_[i].value = set.value;
    wake(locks_[i].waiters);
    return;
  }
  throw SimulationError(design_.name + ": " + tile_name(set.tile) +
                        ": the controller sets a lock: expected one of the call's, found number " +
                        std::to_string(set.lock));
}

void ArraySimulation::write_headers(const DataPlace& place, std::span<const std::uint32_t> words) {
  const CoreBuffer& buffer = design_.core.buffers[kPorts];
  const std::size_t end = place.offset + words.size_bytes();
  if (place.offset < buffer.offset || end > buffer.offset + buffer.bytes) {
    throw SimulationError(design_.name + ": " + tile_name(place.core) +
                          ": the controller writes to data memory: expected bytes " +
                          std::to_string(buffer.offset) + " to " +
                          std::to_string(buffer.offset + buffer.bytes) + ", found " +
                          std::to_string(place.offset) + " to " + std::to_string(end));
  }
  copy_bytes(std::as_bytes(words), cores_[core_index(place.core)].headers.subspan(
                                       place.offset - buffer.offset, words.size_bytes()));
}

void ArraySimulation::set_core_lock(const SetLock& set) {
  if (set.lock != design_.core.header_lock) {
    throw SimulationError(design_.name + ": " + tile_name(set.tile) +
                          ": the controller sets a lock: expected number " +
                          std::to_string(design_.core.header_lock) + ", found " +
                          std::to_string(set.lock));
  }
  const std::size_t index = core_index(set.tile);
  cores_[index].locks.at(static_cast<std::size_t>(set.lock)) = set.value;
  advance_core(index);
}

// The next call begins with its headers, which take the place of those that are still to be read.
void ArraySimulation::require_last_phase() const {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreState& core = cores_[i];
    if (core.is_done || (core.has_call && core.phase + 1 == core.call.phases)) continue;
    throw SimulationError(design_.name + ": core " + std::to_string(i) +
                          ": expected its last phase when the control program ends, found phase " +
                          std::to_string(core.phase) + " of " + std::to_string(core.call.phases));
  }
}

// A channel's queue holds so many tasks, the one that runs included; one more would be lost.
void ArraySimulation::give_task(const ControlStep& step) {
  ChannelState& state = channels_[step.channel];
  state.task_ends.push_back(step.end);
  std::erase_if(state.task_ends, [&](std::uint64_t end) { return end <= state.moved; });
  if (state.task_ends.size() > static_cast<std::size_t>(kTaskQueueDepth)) {
    throw SimulationError(design_.name + ": " + tile_name(design_.channels[step.channel].tile) +
                          ": operation " + std::to_string(controller_.next) +
                          " gives a task: expected at most " + std::to_string(kTaskQueueDepth) +
                          " at a time, found " + std::to_string(state.task_ends.size()));
  }
  state.given = step.end;
  if (design_.channels[step.channel].direction == Direction::mm2s) {
    to_try_.push_back(step.channel);
  } else {
    wake(state.waiters);
  }
}

std::string ArraySimulation::describe_controller() const {
  if (options_.program == nullptr || controller_.next == options_.program->steps.size()) return "";
  const ControlStep& step = options_.program->steps[controller_.next];
  const Channel& channel = design_.channels[step.channel];
  return "the controller waits at operation " + std::to_string(controller_.next) + " of " +
         std::to_string(options_.program->steps.size()) + " for a task of " +
         port_name({channel.tile, channel.direction, channel.index}) + "; ";
}

}  // namespace wnpu::npu
