// The cores of ArraySimulation: their programs and stalls.
#include <cstring>

#include "npu/sim/array_simulation.h"
#include "npu/sim/tile_tasks.h"

namespace wnpu::npu {
namespace {

std::string_view core_name(Port port) {
  constexpr std::array<std::string_view, 3> kNames{"A", "B", "C"};
  return kNames[static_cast<std::size_t>(port)];
}

}  // namespace

TileId ArraySimulation::core_tile(std::size_t core) const {
  const auto columns = static_cast<std::size_t>(overlay_.target->all_columns());
  return {TileKind::core, static_cast<int>(core % columns), static_cast<int>(core / columns)};
}

std::string_view ArraySimulation::phase_name(std::size_t phase) const {
  return phase < names_.phases.size() ? names_.phases[phase] : "unnamed";
}

std::string ArraySimulation::phase_text(std::size_t phase) const {
  return "phase " + std::to_string(phase) + " (" + std::string(phase_name(phase)) + ")";
}

void ArraySimulation::prepare_core(std::size_t index) {
  CoreState& core = cores_[index];
  for (std::size_t p = 0; p < core.ports.size(); ++p) {
    PortState& port = core.ports[p];
    port.depth = static_cast<std::uint32_t>(overlay_.core.buffers[p].depth);
    port.free = &core.locks.at(static_cast<std::size_t>(overlay_.core.locks[p].free));
    port.full = &core.locks.at(static_cast<std::size_t>(overlay_.core.locks[p].full));
    *port.free = overlay_.core.buffers[p].depth;
  }
  const CoreBuffer& buffer = overlay_.core.buffers[kPorts];
  if (memory_) {
    core.headers = memory_->core(index).subspan(buffer.offset, buffer.bytes);
  } else {
    core.own_headers.resize(buffer.bytes, ArrayMemory::kPoison);
    core.headers = core.own_headers;
  }
}

std::uint32_t ArraySimulation::header_word(const CoreState& core, std::size_t index) const {
  std::uint32_t word = 0;
  std::memcpy(&word, &core.headers[index * sizeof(word)], sizeof(word));
  return word;
}

// Takes the lock of the headers; false where it has to wait for it.
bool ArraySimulation::begin_call(std::size_t index) {
  CoreState& core = cores_[index];
  int& lock = core.locks.at(static_cast<std::size_t>(overlay_.core.header_lock));
  if (lock < 1) {
    if (!core.is_done) wait_for(core, &CoreCycles::waiting_header);
    return false;
  }
  stop_waiting(core);
  --lock;
  if (OrderCheck* const order = options_.order) {
    order->acquire(order->of_core(index), core_tile(index), overlay_.core.header_lock, lock);
  }
  core.call = decode_call(header_word(core, 0));
  const std::size_t room = (core.headers.size() / sizeof(std::uint32_t) - 1) / kPhaseWords;
  if (core.call.phases > room) {
    refuse(tile_name(core_tile(index)) + ": headers", "at most " + std::to_string(room) + " phases",
           std::to_string(core.call.phases));
  }
  if (report_.phase_start.size() < core.call.phases) {
    report_.phase_start.resize(core.call.phases, -1);
    report_.phases.resize(core.call.phases);
  }
  core.has_call = true;
  core.phase = 0;
  enter_phase(index);
  return true;
}

void ArraySimulation::enter_phase(std::size_t index) {
  CoreState& core = cores_[index];
  core.pc = 0;
  core.steps.clear();
  if (core.phase == core.call.phases) {
    core.has_call = false;
    core.is_done = true;
    core.finished_at = now_;
    return;
  }
  std::array<std::uint32_t, kPhaseWords> words{};
  for (std::uint32_t i = 0; i < kPhaseWords; ++i) {
    words[i] = header_word(core, header_at(static_cast<std::uint32_t>(core.phase)) + i);
  }
  if (!is_phase(words.data())) {
    refuse(tile_name(core_tile(index)) + ": header of phase " + std::to_string(core.phase),
           "a known kernel and epilogue", "word " + std::to_string(words[0]));
  }
  core.header = decode_phase(words.data());
  const std::string fault = memory_ ? phase_fault(core.header) : "";
  if (!fault.empty()) {
    throw SimulationError(std::string(names_.call) + ": " + phase_text(core.phase) + ": " + fault);
  }
  core.steps = phase_steps(core.header, core.call);
}

void ArraySimulation::advance_core(std::size_t index) {
  CoreState& core = cores_[index];
  if (!core.has_call && !begin_call(index)) return;
  while (!core.is_computing && core.has_call) {
    if (core.pc == core.steps.size()) {
      ++core.phase;
      enter_phase(index);
      continue;
    }
    if (report_.phase_start[core.phase] < 0) report_.phase_start[core.phase] = now_;
    if (!run_step(index, core.steps[core.pc])) return;
  }
}

// False when the core has to wait.
bool ArraySimulation::run_step(std::size_t index, const Step& step) {
  if (step.kind == Step::Kind::compute) {
    compute(index, step);
    return true;
  }
  if (step.kind == Step::Kind::take && !take(index, step)) return false;
  if (step.kind == Step::Kind::release) release(index, step);
  ++cores_[index].pc;
  return true;
}

bool ArraySimulation::take(std::size_t index, const Step& step) {
  CoreState& core = cores_[index];
  PortState& port = core.ports[static_cast<std::size_t>(step.port)];
  constexpr std::array kCauses{&CoreCycles::waiting_a, &CoreCycles::waiting_b,
                               &CoreCycles::waiting_c};
  int& lock = step.port == Port::c ? *port.free : *port.full;
  if (lock < 1) {
    wait_for(core, kCauses[static_cast<std::size_t>(step.port)]);
    return false;
  }
  stop_waiting(core);
  --lock;
  if (OrderCheck* const order = options_.order) {
    const PortLocks& locks = overlay_.core.locks[static_cast<std::size_t>(step.port)];
    order->acquire(order->of_core(index), core_tile(index),
                   step.port == Port::c ? locks.free : locks.full, lock);
  }
  const std::uint32_t found = port.bytes[port.read];
  if (step.port != Port::c && found != 0 && found != step.bytes) {
    throw SimulationError(std::string(names_.call) + ": " + tile_name(core_tile(index)) + ": " +
                          phase_text(core.phase) + " expects an element of " +
                          std::to_string(step.bytes) + " bytes on port " +
                          std::string(core_name(step.port)) + ", found " + std::to_string(found));
  }
  return true;
}

void ArraySimulation::release(std::size_t index, const Step& step) {
  const auto p = static_cast<std::size_t>(step.port);
  PortState& port = cores_[index].ports[p];
  if (OrderCheck* const order = options_.order) {
    const bool is_result = step.port == Port::c;
    const PortLocks& locks = overlay_.core.locks[p];
    order->use_slot(order->of_core(index), index, p, is_result ? port.write : port.read,
                    is_result ? OrderCheck::Kind::write : OrderCheck::Kind::read);
    order->release(order->of_core(index), core_tile(index), is_result ? locks.full : locks.free, 1);
  }
  if (step.port == Port::c) {
    port.bytes[port.write] = step.bytes;
    port.write = (port.write + 1) % port.depth;
    ++*port.full;
  } else {
    ++*port.free;
    port.read = (port.read + 1) % port.depth;
  }
  work_->wake(port.waiters);
}

void ArraySimulation::compute(std::size_t index, const Step& step) {
  CoreState& core = cores_[index];
  const double cycles = task_cycles(core.header, step.task, preset_.kernels);
  report_.cores[index].busy += cycles;
  report_.phases[core.phase].busy += cycles;
  record(index, phase_name(core.phase), now_, now_ + cycles);
  core.is_computing = true;
  if (memory_) {
    const Slots slots{core.ports[0].read, core.ports[1].read, core.ports[2].write};
    core.job.work = [this, index, &core, &step, slots] {
      run_task(core.header, step, memory_->core(index), slots, options_.gelu);
    };
    pool_->submit(core.job);
  }
  schedule(now_ + cycles, EventKind::task_ends, index);
}

void ArraySimulation::wait_for(CoreState& core, double CoreCycles::*cause) {
  if (core.waiting_for != nullptr) return;
  core.waiting_for = cause;
  core.waiting_since = now_;
}

void ArraySimulation::stop_waiting(CoreState& core) {
  if (core.waiting_for == nullptr) return;
  const auto index = static_cast<std::size_t>(&core - &cores_[0]);
  report_.cores[index].*core.waiting_for += now_ - core.waiting_since;
  if (core.has_call) report_.phases[core.phase].*core.waiting_for += now_ - core.waiting_since;
  core.waiting_for = nullptr;
}

std::string ArraySimulation::describe_cores() const {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreState& core = cores_[i];
    if (core.is_done) continue;
    const std::string tile = tile_name(core_tile(i));
    if (!core.has_call) return tile + " waits for the headers of its phases; ";
    return tile + " waits for port " + std::string(core_name(core.steps[core.pc].port)) + " in " +
           phase_text(core.phase) + ", step " + std::to_string(core.pc) + " of " +
           std::to_string(core.steps.size()) + "; ";  // the others wait alike
  }
  return "";
}

// Elements left on a port would be taken for the next call's first. At the end of a call a channel
// may have begun the next element, if nothing of it has come.
void ArraySimulation::require_empty_ports() const {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const ChannelState& channel = channels_[c];
    if (!is_core(c)) continue;
    const CoreState& core = cores_[core_of(c)];
    const std::size_t p = port_index(overlay_.channels[c]);
    const PortState& port = core.ports[p];
    const int begun = channel.has_piece && !channel.is_source ? 1 : 0;
    const bool is_whole = !channel.has_piece || channel.piece.moved == 0;
    if (is_whole && *port.full == 0 && *port.free + begun == static_cast<int>(port.depth)) continue;
    throw SimulationError(
        std::string(names_.call) + ": " + tile_name(overlay_.channels[c].tile) +
        ": expected an empty port " + std::string(core_name(static_cast<Port>(p))) +
        " when the call ends, found " + std::to_string(*port.full) + " elements and " +
        std::to_string(is_whole ? 0 : channel.piece.moved) + " bytes");
  }
}

void ArraySimulation::record(std::size_t track, std::string_view name, double start, double end) {
  if (!options_.is_traced) return;
  report_.spans.push_back({track, name, start, end});
}

}  // namespace wnpu::npu
