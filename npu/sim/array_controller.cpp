// The controller of ArraySimulation: the operations of a control program, one after the other.

#include "npu/sim/array_simulation.h"

namespace wnpu::npu {
namespace {

std::string_view write_kind(const Operation& operation) {
  if (std::holds_alternative<PushTask>(operation)) return "task";
  if (std::holds_alternative<WaitForTokens>(operation)) return "token";
  return "registers";
}

}  // namespace

// Goes on to the next operation unless it waits for a token that has not come.
void ArraySimulation::advance_controller() {
  if (controller_.is_busy || controller_.next == controller_.operations.size()) return;
  const Operation& operation = controller_.operations[controller_.next];
  const auto* wait = std::get_if<WaitForTokens>(&operation);
  if (wait != nullptr && !takes_token(*wait)) {
    if (controller_.waiting_since < 0) controller_.waiting_since = now_;
    return;
  }
  if (controller_.waiting_since >= 0) {
    report_.controller.waiting += now_ - controller_.waiting_since;
    record(cores_.size() + channels_.size(), "waits", controller_.waiting_since, now_);
    controller_.waiting_since = -1;
  }
  const double cycles = cycles_of(operation, *options_.costs);
  controller_.is_busy = true;
  report_.controller.busy += cycles;
  record(cores_.size() + channels_.size(), write_kind(operation), now_, now_ + cycles);
  schedule(now_ + cycles, EventKind::operation_ends, 0);
}

bool ArraySimulation::takes_token(const WaitForTokens& wait) {
  if (wait.columns != 1 || wait.rows != 1) {
    refuse("a wait for a token of " + npu::port_name(wait.port), "one of 1 x 1 tiles",
           std::to_string(wait.columns) + " x " + std::to_string(wait.rows));
  }
  int& tokens = controller_.tokens[registers_->channel_of(wait.port)];
  if (tokens == 0) return false;
  --tokens;
  if (options_.order != nullptr) options_.order->take_token(registers_->channel_of(wait.port));
  return true;
}

void ArraySimulation::end_operation() {
  std::visit([this](const auto& o) { apply(o); }, controller_.operations[controller_.next]);
  controller_.is_busy = false;
  ++controller_.next;
  ++report_.controller.operations;
  report_.controller.finished = now_;
  if (controller_.next == controller_.operations.size()) {
    require_last_phase();
    if (options_.order != nullptr) options_.order->end_program();
  }
  advance_controller();
}

void ArraySimulation::apply(const SetLock& set) {
  if (set.tile.kind == TileKind::core) {
    set_core_lock(set);
  } else {
    registers_->apply(set);
  }
}

void ArraySimulation::apply(const WriteRegister& write) {
  refuse("a write", "a lock's value or a task", "register " + std::to_string(write.address));
}

void ArraySimulation::apply(const WriteMasked& write) {
  refuse("a masked write", "where a channel sends its tokens",
         "register " + std::to_string(write.address));
}

// Headers in cores. A descriptor's registers that hold none come here as well (decode()).
void ArraySimulation::apply(const WriteBlock& write) {
  const auto place = data_at(write.address);
  if (!place) {
    refuse("a block", "a descriptor or headers of phases",
           "register " + std::to_string(write.address));
  }
  const CoreBuffer& buffer = overlay_.core.buffers[kPorts];
  const std::span<const std::byte> bytes = std::as_bytes(std::span(write.words));
  const std::size_t end = place->offset + bytes.size();
  if (place->offset < buffer.offset || end > buffer.offset + buffer.bytes) {
    refuse(tile_name(place->core) + ": the controller writes to data memory",
           "bytes " + std::to_string(buffer.offset) + " to " +
               std::to_string(buffer.offset + buffer.bytes),
           std::to_string(place->offset) + " to " + std::to_string(end));
  }
  copy_bytes(
      bytes,
      written_core(place->core).headers.subspan(place->offset - buffer.offset, bytes.size()));
}

ArraySimulation::CoreState& ArraySimulation::written_core(TileId tile) {
  const Target& target = *overlay_.target;
  if (tile.column >= target.all_columns() || tile.row >= target.array_rows()) {
    refuse(tile_name(tile),
           "one of " + std::to_string(target.all_columns()) + " columns and " +
               std::to_string(target.array_rows()) + " rows of cores",
           "another");
  }
  return cores_[core_index(tile)];
}

void ArraySimulation::set_core_lock(const SetLock& set) {
  if (set.lock != overlay_.core.header_lock) {
    refuse(tile_name(set.tile) + ": the controller sets a lock",
           "number " + std::to_string(overlay_.core.header_lock), std::to_string(set.lock));
  }
  written_core(set.tile).locks.at(static_cast<std::size_t>(set.lock)) = set.value;
  if (options_.order != nullptr) options_.order->set_lock(set.tile, set.lock, set.value);
  advance_core(core_index(set.tile));
}

// The next call begins with its headers, which take the place of those that are still to be read,
// and with values of locks, which channels must not use any more.
void ArraySimulation::require_last_phase() const {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreState& core = cores_[i];
    if (core.is_done || (core.has_call && core.phase + 1 == core.call.phases)) continue;
    refuse("core " + std::to_string(i), "its last phase when the control program ends",
           "phase " + std::to_string(core.phase) + " of " + std::to_string(core.call.phases));
  }
  const std::string unfinished = registers_->unfinished();
  if (!unfinished.empty()) {
    refuse("channels", "no task when the control program ends", unfinished);
  }
}

// A wait of the next call would take it for its own.
void ArraySimulation::require_no_tokens() const {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (controller_.tokens[i] == 0) continue;
    const Channel& c = overlay_.channels[i];
    refuse(npu::port_name({c.tile, c.direction, c.index}) + ": tokens",
           "none that nobody has waited for", std::to_string(controller_.tokens[i]));
  }
}

std::string ArraySimulation::describe_controller() const {
  if (controller_.next == controller_.operations.size()) return "";
  const auto& wait = std::get<WaitForTokens>(controller_.operations[controller_.next]);
  return "the controller waits at operation " + std::to_string(controller_.next) + " of " +
         std::to_string(controller_.operations.size()) + " for a task of " +
         npu::port_name(wait.port) + "; ";
}

}  // namespace wnpu::npu
