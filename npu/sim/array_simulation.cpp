#include "npu/sim/array_simulation.h"

#include <utility>

#include "npu/control/call_start.h"
#include "npu/device.h"
#include "npu/sim/transfer_work.h"

namespace wnpu::npu {

ArraySimulation::ArraySimulation(const Overlay& overlay, CallNames names, const SimOptions& options,
                                 std::unique_ptr<ArrayMemory> memory, WorkerPool* pool)
    : overlay_(overlay),
      names_(std::move(names)),
      options_(options),
      preset_(*options.preset),
      memory_(std::move(memory)),
      pool_(pool),
      channels_(overlay.channels.size()),
      cores_(static_cast<std::size_t>(overlay.target->columns) *
             static_cast<std::size_t>(overlay.target->core_rows)) {
  for (std::size_t i = 0; i < overlay.links.size(); ++i) {
    const Link& link = overlay.links[i];
    ChannelState& source = channels_[link.source];
    source.is_source = true;
    source.element_bytes = link.element_bytes;
    source.piece.link = i;  // of a core's for ever
    for (const std::size_t sink : link.sinks) {
      channels_[sink].sources.push_back(link.source);
      channels_[sink].element_bytes = link.element_bytes;
    }
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) prepare_core(i);
  report_.cores.resize(cores_.size());
  report_.channel_bytes.resize(channels_.size());
  if (options.records_moves) report_.moves.resize(channels_.size());
  controller_.tokens.resize(channels_.size());
  if (!options.is_traced) return;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    report_.tracks.push_back(tile_name(core_tile(i)));
  }
  for (const Channel& c : overlay.channels) {
    report_.tracks.push_back(port_name({c.tile, c.direction, c.index}));
  }
}

ArraySimulation::~ArraySimulation() {
  if (!memory_) return;
  for (CoreState& core : cores_) {
    try {
      pool_->wait(core.job);
    } catch (...) {  // NOLINT(bugprone-empty-catch): reached only while another error is on its way
    }
  }
}

void ArraySimulation::refuse(const std::string& what, const std::string& expected,
                             const std::string& found) const {
  throw SimulationError(std::string(names_.call) + ": " + what + ": expected " + expected +
                        ", found " + found);
}

void ArraySimulation::schedule(double time, EventKind kind, std::size_t subject) {
  events_.push({time, n_events_++, kind, subject});
}

SimReport ArraySimulation::run(ChannelWork& work, std::span<const Operation> headers) {
  work_ = &work;
  for (const Operation& operation : headers) {
    std::visit([this](const auto& o) { apply(o); }, operation);
  }
  return run_events();
}

SimReport ArraySimulation::run(DescriptorWork& registers, std::span<const Operation> operations) {
  work_ = &registers;
  registers_ = &registers;
  // A core's descriptors move a buffer whole (emit/device_text.cpp).
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (!is_core(i)) continue;
    channels_[i].element_bytes = overlay_.core.buffers[port_index(overlay_.channels[i])].bytes;
  }
  controller_.operations = operations;
  if (options_.is_traced) report_.tracks.emplace_back("controller");
  advance_controller();
  return run_events();
}

SimReport ArraySimulation::run_events() {
  for (std::size_t i = 0; i < cores_.size(); ++i) advance_core(i);  // to wait for their headers
  Waiters& woken = work_->woken();
  for (std::size_t i = 0; i < channels_.size(); ++i) woken.push_back(i);
  while (true) {
    for (std::size_t i = 0; i < woken.size(); ++i) poll(woken[i]);
    woken.clear();
    if (events_.empty()) break;
    if (options_.should_stop && options_.should_stop()) throw Stopped();
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  const std::string stuck = describe_controller() + describe_cores() + work_->unfinished();
  if (!stuck.empty()) {
    throw SimulationError(std::string(names_.call) + ": deadlock: " + stuck);
  }
  require_empty_ports();
  require_no_tokens();
  report_.cycles = now_;
  report_.ms = now_ / (preset_.clock_ghz * 1e6);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    report_.cores[i].finished = now_ - cores_[i].finished_at;
  }
  return std::move(report_);
}

void ArraySimulation::handle(const Event& event) {
  now_ = event.time;
  switch (event.kind) {
    case EventKind::move_ends:
      end_move(event.subject);
      return;
    case EventKind::operation_ends:
      end_operation();
      return;
    case EventKind::token_comes:
      ++controller_.tokens[event.subject];
      advance_controller();
      return;
    case EventKind::task_ends:
      if (memory_) pool_->wait(cores_[event.subject].job);
      cores_[event.subject].is_computing = false;
      ++cores_[event.subject].pc;
      advance_core(event.subject);
      return;
  }
}

SimReport simulate(const Design& design, const SimOptions& options) {
  CallNames names{design.name, {}};
  for (const Phase& phase : design.phases) names.phases.push_back(phase.name);
  TransferWork work(design);
  ArraySimulation simulation(design, std::move(names), options, nullptr, nullptr);
  return simulation.run(work, header_operations(design));
}

SimReport simulate(const EncodedCall& call, const SimOptions& options, const CallMemory& memory) {
  const ControlProgram program = decode(call.program);
  if (program.shape != array_shape(*call.overlay.target)) {
    throw SimulationError(call.name + ": expected a control program for " +
                          std::string(call.overlay.target->name) + ", found one for another array");
  }
  std::unique_ptr<ArrayMemory> bytes;
  if (!memory.arguments.empty()) {
    std::vector<std::span<std::byte>> arguments;
    for (std::size_t i = 0; i < call.argument_bytes.size(); ++i) {
      arguments.push_back(memory.arguments[i].first(call.argument_bytes[i]));
    }
    bytes = std::make_unique<ArrayMemory>(*call.overlay.target, arguments);
  }
  CallNames names{call.name, {call.phases.begin(), call.phases.end()}};
  DescriptorWork registers(call.overlay, call.argument_bytes, call.name, options.order);
  ArraySimulation simulation(call.overlay, std::move(names), options, std::move(bytes),
                             memory.pool);
  return simulation.run(registers, program.operations);
}

}  // namespace wnpu::npu
