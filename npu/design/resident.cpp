#include "npu/design/resident.h"

namespace wnpu::npu {
namespace {

// Collects the steps of a phase for one core.
class Steps {
 public:
  Steps(int column, int columns) : column_(column), columns_(columns) {}

  void take(Port port, std::uint32_t bytes = 0) {
    steps_.push_back({Step::Kind::take, port, Task::multiply, 0, bytes});
  }
  void release(Port port, std::uint32_t bytes = 0) {
    steps_.push_back({Step::Kind::release, port, Task::multiply, 0, bytes});
  }
  void compute(Task task, std::uint32_t index = 0) {
    steps_.push_back({Step::Kind::compute, Port::a, task, index, 0});
  }
  // A row broadcast carries one element for each core of the row; this core works on its own one
  // and lets the others pass.
  template <typename Work>
  void take_own(std::uint32_t bytes, Work work) {
    for (int i = 0; i < columns_; ++i) {
      take(Port::a, bytes);
      if (i == column_) work();
      release(Port::a);
    }
  }
  void emit(Task task, std::uint32_t bytes) {
    take(Port::c);
    compute(task);
    release(Port::c, bytes);
  }
  std::vector<Step> take_all() { return std::move(steps_); }

 private:
  int column_;
  int columns_;
  std::vector<Step> steps_;
};

// One element of rows: C = task(A).
void unfold_row_element(Steps& steps, const PhaseHeader& p) {
  if (p.quantised_output) {
    steps.emit(Task::norm_quantise, p.m * p.k);
    steps.emit(Task::store_row_scales, p.m * 4);
  } else {
    steps.emit(p.kernel == Kernel::gelu ? Task::gelu_rows : Task::norm_rows, p.m * p.k * 2);
  }
}

void unfold_rows(Steps& steps, const PhaseHeader& p) {
  for (std::uint32_t o = 0; o < p.outer; ++o) {
    steps.take_own(p.m * p.k * 2, [&] { unfold_row_element(steps, p); });
  }
}

// One result tile: parameters, the steps along the depth, the epilogue.
void unfold_tile(Steps& steps, const PhaseHeader& p) {
  const std::uint32_t element = p.kernel == Kernel::gemm_int8 ? 1 : 2;
  const std::uint32_t out_bytes = p.m * p.n * 2;
  steps.take(Port::b, p.k * p.n * element);  // an element as long as a tile
  steps.compute(Task::load_parameters);
  steps.release(Port::b);
  for (std::uint32_t i = 0; i < p.inner; ++i) {
    steps.take(Port::a, p.m * p.k * element);
    steps.take(Port::b, p.k * p.n * element);
    steps.compute(Task::multiply, i);
    steps.release(Port::a);
    steps.release(Port::b);
  }
  if (p.epilogue == Epilogue::bias_residual) {
    steps.take_own(out_bytes, [&] { steps.emit(Task::finish_residual, out_bytes); });
  } else {
    steps.emit(p.epilogue == Epilogue::bias ? Task::finish_bias : Task::finish_gelu, out_bytes);
  }
}

void unfold_gemm(Steps& steps, const PhaseHeader& p) {
  if (p.kernel == Kernel::gemm_int8) {
    steps.take(Port::a, p.m * 4);
    steps.compute(Task::load_row_scales);
    steps.release(Port::a);
  }
  for (std::uint32_t o = 0; o < p.outer; ++o) unfold_tile(steps, p);
}

void unfold_attention(Steps& steps, const PhaseHeader& p) {
  const std::uint32_t query_bytes = p.m * p.k * 2;
  for (std::uint32_t o = 0; o < p.outer; ++o) {
    steps.take_own(query_bytes, [&] {
      steps.take(Port::c);
      steps.compute(Task::load_queries);
    });
    for (std::uint32_t i = 0; i < p.inner; ++i) {
      steps.take(Port::b, 2 * p.n * p.k * 2);
      steps.compute(Task::attend, i);
      steps.release(Port::b);
    }
    steps.compute(Task::finish_attention);
    steps.release(Port::c, query_bytes);
  }
}

}  // namespace

std::vector<Step> phase_steps(const PhaseHeader& phase, int column, int columns) {
  Steps steps(column, columns);
  switch (phase.kernel) {
    case Kernel::layer_norm:
    case Kernel::gelu:
      unfold_rows(steps, phase);
      break;
    case Kernel::gemm_bf16:
    case Kernel::gemm_int8:
      unfold_gemm(steps, phase);
      break;
    case Kernel::attention:
      unfold_attention(steps, phase);
      break;
  }
  return steps.take_all();
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
      cycles = m * 4 * per_vector;
      break;
    case Task::multiply:
      cycles = m * k * n /
               (is_int8 ? kernels.int8_mac_per_cycle.value : kernels.bf16_mac_per_cycle.value);
      break;
    case Task::finish_bias:
    case Task::finish_residual:
      cycles = m * n * (kernels.epilogue_cycles.value + dequantise);
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
      cycles = m * k * kernels.gelu_cycles.value;
      break;
    case Task::load_queries:
      cycles = (m * k * 2 + m * k * 4) * per_vector;
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
