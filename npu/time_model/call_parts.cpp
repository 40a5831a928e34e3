#include "npu/time_model/call_parts.h"

#include <algorithm>

#include "npu/control/call_start.h"
#include "npu/control/channel_tasks.h"
#include "npu/control/controller_costs.h"
#include "npu/design/resident.h"

namespace wnpu::npu {
namespace {

constexpr double kSlots = 2;  // of a core's input ports: core/core_memory.h

bool is_product(const Phase& p) {
  return p.kernel == Kernel::gemm_bf16 || p.kernel == Kernel::gemm_int8;
}
bool has_residual(const Phase& p) { return is_product(p) && p.epilogue == Epilogue::bias_residual; }

// When the first and the last core are done with what was done so far.
struct Ends {
  double first = 0;
  double last = 0;
};

// Walks through a call's phases.
class CoreChain {
 public:
  CoreChain(const Design& design, const HardwareModel& preset)
      : kernels_(preset.kernels), columns_(design.target->columns) {
    std::size_t bytes = 0;
    for (const Link& link : design.links) {
      if (design.channels[link.sinks.front()].tile.kind == TileKind::core) {
        bytes = std::max(bytes, link.element_bytes);
      }
    }
    element_ = static_cast<double>(bytes) / kStreamBytesPerCycle;
  }

  // `waits_for_all`: the phase begins with what all cores have made in the one before.
  void add(const Phase& phase, bool waits_for_all) {
    double begin = ends_.first;
    if (waits_for_all) begin = std::max(begin, ends_.last + 2 * element_ - early(phase));
    if (is_product(phase)) return add_product(phase, begin);
    if (phase.kernel == Kernel::attention) return add_attention(phase, begin);
    add_rows(phase, begin);
  }

  double end() const { return ends_.last + 2 * element_; }  // the last result is in DDR
  double busy() const { return busy_; }

 private:
  double cycles(const Phase& p, Task task) const { return task_cycles(p, task, kernels_); }
  // Cycles of a phase's work that needs nothing from the phase before.
  double early(const Phase& p) const {
    return is_product(p) ? cycles(p, Task::load_parameters) : 0;
  }
  double to_come(double elements) const { return std::max(0.0, elements - kSlots) * element_; }

  void add_rows(const Phase& p, double begin) {
    double own = p.kernel == Kernel::gelu ? cycles(p, Task::gelu_rows) : cycles(p, Task::norm_rows);
    if (p.quantised_output) {
      own = cycles(p, Task::norm_quantise) + cycles(p, Task::store_row_scales);
    }
    const double elements = p.outer * columns_;
    const double turns = elements / kSlots;
    const double others = std::max(0.0, turns - 1) * (own + element_);
    busy_ += p.outer * own;
    ends_.first = begin + std::max({others, p.outer * own, to_come(elements)});
    ends_.last = std::max(ends_.first, begin + others + own);
  }

  void add_attention(const Phase& p, double begin) {
    const double load = cycles(p, Task::load_queries);
    const double one = p.inner * cycles(p, Task::attend) + cycles(p, Task::finish_attention);
    // The next queries: two wait in the port, the others come; the last result has to leave.
    const double between = std::max((columns_ - kSlots) * element_, element_ + load);
    busy_ += p.outer * (load + one);
    const double work = load + p.outer * one + (p.outer - 1.0) * between;
    ends_.first = ends_.last = begin + std::max(work, to_come(1.0 * p.outer * p.inner));
  }

  void add_product(const Phase& p, double begin) {
    const double load = cycles(p, Task::load_parameters);
    const double steps = p.inner * cycles(p, Task::multiply);
    double once = p.kernel == Kernel::gemm_int8 ? cycles(p, Task::load_row_scales) : 0;
    double a_elements = 1.0 * p.outer * p.inner;
    if (!has_residual(p)) {
      const Task end = p.epilogue == Epilogue::bias ? Task::finish_bias : Task::finish_gelu;
      const double work = once + p.outer * (load + steps + cycles(p, end));
      busy_ += work;
      ends_.first = ends_.last = begin + std::max({work, to_come(a_elements), to_come(p.outer)});
      return;
    }
    const double finish = cycles(p, Task::finish_residual);
    a_elements += p.outer * columns_;
    busy_ += once + p.outer * (load + steps + finish);
    const double between = std::max(columns_ * element_, finish + load);
    const double work = once + load + p.outer * steps + (p.outer - 1.0) * between;
    const double rest = (columns_ - 1) * element_;  // of the last residuals
    ends_.first = begin + std::max(work + std::max(rest, finish), to_come(a_elements));
    ends_.last = std::max(ends_.first, begin + work + rest + finish);
  }

  const KernelTable& kernels_;
  double columns_ = 0;
  double element_ = 0;  // cycles of an element on a core's port
  Ends ends_;
  double busy_ = 0;
};

// A layer's phases pass their results on in order: a product straight behind one LayerNorm
// multiplies what that has made, `down` what `up` has, and attention lies between two products.
// Behind several LayerNorms a product begins with what the first of them has made.
bool waits_for_all(const std::vector<Phase>& phases, std::size_t i) {
  if (i == 0) return false;
  const Phase& p = phases[i];
  const Phase& before = phases[i - 1];
  if (is_product(p) && before.kernel == Kernel::layer_norm) {
    return i < 2 || phases[i - 2].kernel != Kernel::layer_norm;
  }
  if (p.kernel == Kernel::layer_norm) return has_residual(before);
  if (p.kernel == Kernel::attention) return is_product(before);
  if (is_product(p) && before.kernel == Kernel::attention) return true;
  return has_residual(p) && is_product(before) && !has_residual(before);
}

double ddr_cycles(double bytes, double gb_per_s, const HardwareModel& preset) {
  return bytes * preset.clock_ghz / gb_per_s;
}

void add_streams(const Design& design, const HardwareModel& preset, CallParts& parts) {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (std::size_t c = 0; c < design.channels.size(); ++c) {
    const Channel& channel = design.channels[c];
    std::uint64_t bytes = 0;
    for (const Transfer& t : design.transfers[c]) bytes += t.elements * t.stream_bytes();
    parts.streams = std::max(parts.streams, static_cast<double>(bytes) / kStreamBytesPerCycle);
    if (channel.tile.kind != TileKind::shim) continue;
    (channel.direction == Direction::mm2s ? read : written) += bytes;
  }
  parts.ddr_bytes = read + written;
  parts.ddr_read = ddr_cycles(static_cast<double>(read), preset.ddr_read_gb_per_s, preset);
  parts.ddr_write = ddr_cycles(static_cast<double>(written), preset.ddr_write_gb_per_s, preset);
}

void add_controller(const Design& design, const HardwareModel& preset, CallParts& parts) {
  const ControllerCosts& costs = controller_of(preset);
  bool has_begun = false;
  for (const Operation& operation : start_operations(design)) {
    const double cycles = cycles_of(operation, costs);
    parts.controller += cycles;
    if (has_begun) continue;
    parts.start += cycles;
    const auto* set = std::get_if<SetLock>(&operation);
    has_begun = set != nullptr && set->tile.kind == TileKind::core;
  }
  for (std::size_t c = 0; c < design.channels.size(); ++c) {
    if (design.channels[c].tile.kind == TileKind::core) continue;
    parts.n_tasks += static_cast<double>(channel_tasks(design, c).size());
  }
  parts.controller += parts.n_tasks * (costs.write.value + costs.push.value);
}

}  // namespace

double CallParts::bound() const {
  return std::max({start + cores, streams, ddr_read, ddr_write, controller});
}

CallParts call_parts(const Design& design, const HardwareModel& preset) {
  CallParts parts;
  CoreChain chain(design, preset);
  for (std::size_t i = 0; i < design.phases.size(); ++i) {
    const bool waits = waits_for_all(design.phases, i);
    chain.add(design.phases[i], waits);
    parts.n_barriers += waits ? 1 : 0;
  }
  parts.cores = chain.end();
  parts.busy = chain.busy();
  add_streams(design, preset, parts);
  add_controller(design, preset, parts);
  return parts;
}

}  // namespace wnpu::npu
