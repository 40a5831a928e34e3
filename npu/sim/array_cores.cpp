// The core half of ArraySimulation: programs, stalls and the event loop.
#include <algorithm>
#include <cstring>

#include "npu/control/call_start.h"
#include "npu/device.h"
#include "npu/sim/array_simulation.h"
#include "npu/sim/tile_tasks.h"

namespace wnpu::npu {
namespace {

std::string_view port_name(Port port) {
  constexpr std::array<std::string_view, 3> kNames{"A", "B", "C"};
  return kNames[static_cast<std::size_t>(port)];
}

TileId core_tile(const Design& design, std::size_t core) {
  const auto columns = static_cast<std::size_t>(design.target->columns);
  return {TileKind::core, static_cast<int>(core % columns), static_cast<int>(core / columns)};
}

}  // namespace

ArraySimulation::ArraySimulation(const Design& design, const SimOptions& options)
    : design_(design),
      options_(options),
      preset_(*options.preset),
      channels_(design.channels.size()),
      move_start_(design.channels.size()),
      locks_(design.locks.size()),
      tokens_(design.n_tokens),
      cores_(static_cast<std::size_t>(design.target->columns) *
             static_cast<std::size_t>(design.target->core_rows)) {
  if (!options.arguments.empty()) {
    memory_ = std::make_unique<ArrayMemory>(design, options.arguments);
  }
  for (std::size_t i = 0; i < design.links.size(); ++i) {
    if (is_core(design.links[i].source)) channels_[design.links[i].source].link = i;
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) prepare_core(i);
  report_.cores.resize(cores_.size());
  report_.channel_bytes.resize(channels_.size());
  if (options.records_moves) report_.moves.resize(channels_.size());
  report_.phase_start.assign(design.phases.size(), -1);
  if (!options.is_traced) return;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    report_.tracks.push_back(tile_name(core_tile(design, i)));
  }
  for (const Channel& c : design.channels) {
    report_.tracks.push_back(tile_name(c.tile) +
                             (c.direction == Direction::mm2s ? " mm2s " : " s2mm ") +
                             std::to_string(c.index));
  }
}

ArraySimulation::~ArraySimulation() {
  if (!memory_) return;
  for (CoreState& core : cores_) {
    try {
      options_.pool->wait(core.job);
    } catch (...) {  // NOLINT(bugprone-empty-catch): reached only while another error is on its way
    }
  }
}

void ArraySimulation::schedule(double time, EventKind kind, std::size_t subject) {
  events_.push({time, n_events_++, kind, subject});
}

void ArraySimulation::wake(Waiters& waiters) {
  to_try_.insert(to_try_.end(), waiters.begin(), waiters.end());
  waiters.clear();
}

SimReport ArraySimulation::run() {
  for (std::size_t i = 0; i < cores_.size(); ++i) advance_core(i);  // to wait for their headers
  for (const Link& link : design_.links) to_try_.push_back(link.source);
  if (options_.program != nullptr) {
    advance_controller();
  } else {
    for (const Operation& operation : start_operations(design_)) apply(operation);
  }
  while (true) {
    for (std::size_t i = 0; i < to_try_.size(); ++i) try_move(to_try_[i]);
    to_try_.clear();
    if (events_.empty()) break;
    if (options_.should_stop && options_.should_stop()) throw Stopped();
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  const std::string stuck = describe_controller() + describe_deadlock();
  if (!stuck.empty()) throw SimulationError(design_.name + ": deadlock: " + stuck);
  require_empty_ports();
  report_.cycles = now_;
  report_.ms = now_ / (preset_.clock_ghz * 1e6);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    report_.cores[i].finished = now_ - cores_[i].finished_at;
  }
  return std::move(report_);
}

void ArraySimulation::handle(const Event& event) {
  now_ = event.time;
  if (event.kind == EventKind::move_ends) {
    end_move(event.subject);
    return;
  }
  if (event.kind == EventKind::operation_ends) {
    end_operation();
    return;
  }
  if (event.kind == EventKind::token_comes) {
    advance_controller();
    return;
  }
  CoreState& core = cores_[event.subject];
  if (event.kind == EventKind::task_ends) {
    if (memory_) options_.pool->wait(core.job);
    core.is_computing = false;
    ++core.pc;
  }
  advance_core(event.subject);
}

void ArraySimulation::prepare_core(std::size_t index) {
  CoreState& core = cores_[index];
  for (std::size_t p = 0; p < core.ports.size(); ++p) {
    PortState& port = core.ports[p];
    port.depth = static_cast<std::uint32_t>(design_.core.buffers[p].depth);
    port.free = &core.locks.at(static_cast<std::size_t>(design_.core.locks[p].free));
    port.full = &core.locks.at(static_cast<std::size_t>(design_.core.locks[p].full));
    *port.free = design_.core.buffers[p].depth;
  }
  const CoreBuffer& buffer = design_.core.buffers[kPorts];
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
  int& lock = core.locks.at(static_cast<std::size_t>(design_.core.header_lock));
  if (lock < 1) {
    if (!core.is_done) wait_for(core, &CoreCycles::waiting_header);
    return false;
  }
  stop_waiting(core);
  --lock;
  core.call = decode_call(header_word(core, 0));
  if (core.call.phases > design_.phases.size()) {
    throw SimulationError(design_.name + ": " + tile_name(core_tile(design_, index)) +
                          ": headers: expected at most " + std::to_string(design_.phases.size()) +
                          " phases, found " + std::to_string(core.call.phases));
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
    throw SimulationError(design_.name + ": " + tile_name(core_tile(design_, index)) +
                          ": header of phase " + std::to_string(core.phase) +
                          ": expected a known kernel and epilogue, found word " +
                          std::to_string(words[0]));
  }
  core.header = decode_phase(words.data());
  const std::string fault = memory_ ? phase_fault(core.header) : "";
  if (!fault.empty()) {
    throw SimulationError(design_.name + ": phase " + design_.phases[core.phase].name + ": " +
                          fault);
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
  CoreState& core = cores_[index];
  switch (step.kind) {
    case Step::Kind::take:
      if (!take(index, step)) return false;
      ++core.pc;
      return true;
    case Step::Kind::release:
      release(index, step);
      ++core.pc;
      return true;
    case Step::Kind::compute:
      compute(index, step);
      return true;
  }
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
  if (step.port != Port::c && port.bytes[port.read] != step.bytes) {
    throw SimulationError(design_.name + ": " + tile_name(core_tile(design_, index)) + ": phase " +
                          design_.phases[core.phase].name + " expects an element of " +
                          std::to_string(step.bytes) + " bytes on port " +
                          std::string(port_name(step.port)) + ", found " +
                          std::to_string(port.bytes[port.read]));
  }
  return true;
}

void ArraySimulation::release(std::size_t index, const Step& step) {
  PortState& port = cores_[index].ports[static_cast<std::size_t>(step.port)];
  if (step.port == Port::c) {
    port.bytes[port.write] = step.bytes;
    port.write = (port.write + 1) % port.depth;
    ++*port.full;
  } else {
    ++*port.free;
    port.read = (port.read + 1) % port.depth;
  }
  wake(port.waiters);
}

void ArraySimulation::compute(std::size_t index, const Step& step) {
  CoreState& core = cores_[index];
  const double cycles = task_cycles(core.header, step.task, preset_.kernels);
  report_.cores[index].busy += cycles;
  record(index, design_.phases[core.phase].name, now_, now_ + cycles);
  core.is_computing = true;
  if (memory_) {
    const Slots slots{core.ports[0].read, core.ports[1].read, core.ports[2].write};
    core.job.work = [this, index, &core, &step, slots] {
      run_task(core.header, step, memory_->core(index), slots);
    };
    options_.pool->submit(core.job);
  }
  schedule(now_ + cycles, EventKind::task_ends, index);
}

void ArraySimulation::wait_for(CoreState& core, double CoreCycles::*cause) {
  if (core.waiting_for != nullptr) return;
  const auto index = static_cast<std::size_t>(&core - &cores_[0]);
  core.waiting_for = &(report_.cores[index].*cause);
  core.waiting_since = now_;
}

void ArraySimulation::stop_waiting(CoreState& core) {
  if (core.waiting_for == nullptr) return;
  *core.waiting_for += now_ - core.waiting_since;
  core.waiting_for = nullptr;
}

std::string ArraySimulation::describe_deadlock() const {
  std::string text;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreState& core = cores_[i];
    if (core.is_done) continue;
    if (!core.has_call) {
      text += tile_name(core_tile(design_, i)) + " waits for the headers of its phases; ";
      break;
    }
    text += tile_name(core_tile(design_, i)) + " waits for port " +
            std::string(port_name(core.steps[core.pc].port)) + " in phase " +
            std::to_string(core.phase) + " (" + design_.phases[core.phase].name + "), step " +
            std::to_string(core.pc) + " of " + std::to_string(core.steps.size()) + "; ";
    break;  // the others wait alike
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const Transfer* transfer = head(i);
    if (transfer == nullptr || design_.channels[i].direction != Direction::mm2s) continue;
    text += tile_name(design_.channels[i].tile) + " has not sent element " +
            std::to_string(channels_[i].element) + " of " + std::to_string(transfer->elements) +
            " (transfer " + std::to_string(channels_[i].transfer) + ") on link " +
            design_.links[transfer->link].name + "; ";
  }
  return text;
}

// What a call leaves on a port would be the next call's first element.
void ArraySimulation::require_empty_ports() const {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    for (std::size_t p = 0; p < kPorts; ++p) {
      const PortState& port = cores_[i].ports[p];
      if (*port.full == 0 && *port.free == static_cast<int>(port.depth)) continue;
      throw SimulationError(
          design_.name + ": " + tile_name(core_tile(design_, i)) + ": expected an empty port " +
          std::string(port_name(static_cast<Port>(p))) + " when the call ends, found " +
          std::to_string(*port.full) + " elements");
    }
  }
}

void ArraySimulation::record(std::size_t track, std::string_view name, double start, double end) {
  if (!options_.is_traced) return;
  report_.spans.push_back({track, name, start, end});
}

}  // namespace wnpu::npu
