#include "npu/design/resident.h"

#include <initializer_list>
#include <utility>

#include "npu/core/phase_walk.h"
#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu {
namespace {

class Recorder {
 public:
  void take(Port port, std::uint32_t bytes) {
    steps_.push_back({Step::Kind::take, port, Task::multiply, 0, bytes});
  }
  void release(Port port, std::uint32_t bytes) {
    steps_.push_back({Step::Kind::release, port, Task::multiply, 0, bytes});
  }
  void run(Task task, std::uint32_t index) {
    steps_.push_back({Step::Kind::compute, Port::a, task, index, 0});
  }
  std::vector<Step> take_all() { return std::move(steps_); }

 private:
  std::vector<Step> steps_;
};

// A size that has to be a multiple, and at most so much.
struct Size {
  const char* name;
  std::size_t value, multiple, most;
};

std::string first_fault(std::initializer_list<Size> sizes) {
  for (const Size& s : sizes) {
    if (s.value > 0 && s.value % s.multiple == 0 && s.value <= s.most) continue;
    return std::string(s.name) + ": expected a multiple of " + std::to_string(s.multiple) +
           ", at most " + std::to_string(s.most) + ", found " + std::to_string(s.value);
  }
  return "";
}

}  // namespace

std::vector<Step> phase_steps(const PhaseHeader& phase, const CallHeader& call) {
  Recorder recorder;
  PhaseWalk<Recorder>(recorder, phase, call).run();
  return recorder.take_all();
}

// Multiples: kernel/tile_shapes.h. What is not bounded here is by the ports' elements.
std::string phase_fault(const PhaseHeader& p) {
  switch (p.kernel) {
    case Kernel::layer_norm:
      return first_fault({{"rows", p.m, 1, kMaxTileRows}, {"width", p.k, 16, kElementBytes / 2}});
    case Kernel::gelu:  // rows of a tile of kParameterFloats columns, four at a time
      return first_fault(
          {{"elements", std::size_t{p.m} * p.k, 4 * kParameterFloats, kElementBytes / 2}});
    case Kernel::gemm_bf16:
      return first_fault({{"tile m", p.m, 8, kMaxTileRows},
                          {"tile k", p.k, 8, kElementBytes},
                          {"tile n", p.n, 8, kParameterFloats}});
    case Kernel::gemm_int8:
      return first_fault({{"tile m", p.m, 8, kMaxTileRows},
                          {"tile k", p.k, 8, kElementBytes},
                          {"tile n", p.n, 16, kParameterFloats}});
    case Kernel::attention:
      return first_fault({{"queries", p.m, 8, kMaxQueries},
                          {"head width", p.k, 8, kMaxTileRows},
                          {"keys", p.n, 16, kernel::kMaxKeys}});
  }
  return "kernel: expected one of " + std::to_string(kKernels);
}

double task_cycles(const PhaseHeader& p, Task task, const KernelTable& kernels) {
  const double m = p.m;
  const double k = p.k;
  const double n = p.n;
  const bool is_int8 = p.kernel == Kernel::gemm_int8;
  const double dequantise = is_int8 ? kernels.dequantise_cycles.value : 0;
  const double per_vector = 1.0 / 32;  // 32 bytes loaded and stored a cycle (AM020 ch. 4)
  double cycles = 0;
  switch (task) {
    case Task::load_parameters:
      cycles = (m * n * 4 + kParameterBytes) * per_vector;
      break;
    case Task::load_row_scales:
    case Task::store_row_scales:
      cycles = kMaxTileRows * 4 * per_vector;
      break;
    case Task::multiply:
      cycles = m * k * n /
               (is_int8 ? kernels.int8_mac_per_cycle.value : kernels.bf16_mac_per_cycle.value);
      break;
    case Task::finish_bias:
      cycles = m * n * (kernels.epilogue_cycles.value + dequantise);
      break;
    case Task::finish_residual:  // A is copied to C first
      cycles = m * n * (kernels.epilogue_cycles.value + dequantise + 2 * per_vector);
      break;
    case Task::finish_gelu:
      cycles = m * n * (kernels.gelu_cycles.value + dequantise);
      break;
    case Task::norm_rows:
      cycles = m * k * kernels.layer_norm_cycles.value;
      break;
    case Task::norm_quantise:
      cycles = m * k * (kernels.layer_norm_cycles.value + kernels.quantise_cycles.value);
      break;
    case Task::gelu_rows:
      cycles = m * k * (kernels.gelu_cycles.value + 4 * per_vector);  // to floats first
      break;
    case Task::load_queries:
      cycles = (m * k * 2 + m * k * 4 + 2 * kStatisticsBytes) * per_vector;
      break;
    case Task::attend:
      cycles = 2 * m * k * n / kernels.attention_mac_per_cycle.value +
               m * n * kernels.softmax_cycles.value;
      break;
    case Task::finish_attention:
      cycles = m * k * kernels.epilogue_cycles.value;
      break;
  }
  return cycles + kernels.call_cycles.value;
}

CoreLayout core_layout() {
  CoreLayout layout;
  layout.buffers = {{"A", kPortA, kElementBytes, 2},
                    {"B", kPortB, kElementBytes, 2},
                    {"C", kPortC, kElementBytes, 1},
                    {"headers", kHeaders, kHeadersBytes, 1},
                    {"accumulators", kAccumulators, kAccumulatorBytes, 1},
                    {"parameters", kParameters, kParameterBytes, 1},
                    {"row scales", kRowScales, kMaxTileRows * sizeof(float), 1}};
  for (const Port port : {Port::a, Port::b, Port::c}) {
    layout.locks[static_cast<std::size_t>(port)] = {free_lock(port), full_lock(port)};
  }
  layout.header_lock = kHeaderLock;
  layout.stack_offset = kStack;
  layout.stack_bytes = kStackBytes;
  layout.table_bytes = 0;  // no kernel has a table: constants are broadcast
  // drakosha/whisper-xdna: about 10 KB of 16 KB for GEMM, LayerNorm, attention and GELU together.
  layout.program_bytes = 10 * 1024 + 2048;  // [A] 2 KB more for int8 and the phase loop
  return layout;
}

}  // namespace wnpu::npu
