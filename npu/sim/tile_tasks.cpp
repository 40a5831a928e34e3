// run_task: the resident program's tasks as calls of tile kernels on a core's data memory.
#include <algorithm>
#include <cstring>

#include "npu/design/resident.h"
#include "npu/kernel/kernels.h"

namespace wnpu::npu {
namespace {

constexpr Rounding kRounding = Rounding::nearest_even;

// A core's data memory with typed views of its buffers.
class CoreView {
 public:
  CoreView(std::span<std::byte> memory, Slots slots) : memory_(memory), slots_(slots) {}

  template <typename T>
  std::span<T> a(std::size_t count) const {
    return view<T>(kPortA + slots_.a * kElementBytes, count);
  }
  template <typename T>
  std::span<T> b(std::size_t count, std::size_t byte_offset = 0) const {
    return view<T>(kPortB + slots_.b * kElementBytes + byte_offset, count);
  }
  template <typename T>
  std::span<T> c(std::size_t count) const {
    return view<T>(kPortC + slots_.c * kElementBytes, count);
  }
  template <typename T>
  std::span<T> accumulators(std::size_t count) const {
    return view<T>(kAccumulators, count);
  }
  std::span<float> bias(std::size_t n) const { return view<float>(kParameters, n); }
  std::span<float> column_scales(std::size_t n) const {
    return view<float>(kParameters + kParameterFloats * 4, n);
  }
  std::span<float> row_scales(std::size_t m) const { return view<float>(kRowScales, m); }
  kernel::AttentionState attention(const PhaseHeader& p) const {
    const kernel::AttentionShape shape{p.m, p.n, p.k};
    const std::size_t statistics = kernel::statistics_size(shape);
    return {view<float>(kAttentionReference, statistics), view<float>(kAttentionSum, statistics),
            accumulators<float>(std::size_t{p.m} * p.k),
            view<bfloat16>(kAttentionWeights, kernel::weights_size(shape))};
  }
  void copy(std::size_t to, std::size_t from, std::size_t bytes) const {
    std::memcpy(&memory_[to], &memory_[from], bytes);
  }

 private:
  template <typename T>
  std::span<T> view(std::size_t offset, std::size_t count) const {
    // The memory is 64-byte aligned and every offset is a multiple of 32; its bytes were created by
    // copies or by kernels of the same types.
    const auto bytes = memory_.subspan(offset, count * sizeof(T));
    return {reinterpret_cast<T*>(bytes.data()), count};
  }
  std::span<std::byte> memory_;
  Slots slots_;
};

void multiply(const PhaseHeader& p, const CoreView& core) {
  const kernel::GemmShape shape{p.m, p.k, p.n};
  const std::size_t mk = shape.m * shape.k;
  const std::size_t kn = shape.k * shape.n;
  const std::size_t mn = shape.m * shape.n;
  if (p.kernel == Kernel::gemm_int8) {
    kernel::gemm_int8(shape, core.a<std::int8_t>(mk), core.b<std::int8_t>(kn),
                      core.accumulators<std::int32_t>(mn));
  } else {
    kernel::gemm_bf16(shape, core.a<bfloat16>(mk), core.b<bfloat16>(kn),
                      core.accumulators<float>(mn));
  }
}

void finish(const PhaseHeader& p, Task task, const CoreView& core) {
  const kernel::TileShape shape{p.m, p.n};
  const std::size_t mn = shape.m * shape.n;
  const auto acc = core.accumulators<float>(mn);
  const auto out = core.c<bfloat16>(mn);
  if (p.kernel == Kernel::gemm_int8) {
    kernel::dequantise(shape, core.accumulators<std::int32_t>(mn),
                       {core.row_scales(p.m), core.column_scales(p.n)}, acc);
  }
  if (task == Task::finish_bias) {
    kernel::bias(shape, acc, core.bias(p.n), out, kRounding);
  } else if (task == Task::finish_gelu) {
    kernel::bias_gelu(shape, acc, core.bias(p.n), out, kRounding);
  } else {
    std::ranges::copy(core.a<bfloat16>(mn), out.begin());
    kernel::bias_residual(shape, acc, core.bias(p.n), out, kRounding);
  }
}

void norm(const PhaseHeader& p, Task task, const CoreView& core) {
  const kernel::RowsShape shape{p.m, p.k};
  const std::size_t mk = shape.rows * shape.width;
  if (task == Task::norm_rows) {
    kernel::layer_norm_rows(shape, core.a<const bfloat16>(mk), core.c<bfloat16>(mk), kRounding);
    return;
  }
  const auto normed = core.accumulators<bfloat16>(mk);
  kernel::layer_norm_rows(shape, core.a<const bfloat16>(mk), normed, kRounding);
  kernel::quantise_rows(shape, normed, core.c<std::int8_t>(mk), core.row_scales(p.m));
}

// GELU does not look at positions: a row goes through the product's epilogue as if it were a tile.
void gelu(const PhaseHeader& p, const CoreView& core) {
  const std::size_t mk = std::size_t{p.m} * p.k;
  const auto acc = core.accumulators<float>(mk);
  const auto in = core.a<const bfloat16>(mk);
  for (std::size_t i = 0; i < mk; ++i) acc[i] = to_float(in[i]);
  std::ranges::fill(core.bias(kParameterFloats), 0.0f);
  kernel::bias_gelu({mk / kParameterFloats, kParameterFloats}, acc, core.bias(kParameterFloats),
                    core.c<bfloat16>(mk), kRounding);
}

void attend(const PhaseHeader& p, const Step& step, const CoreView& core) {
  const kernel::AttentionShape shape{p.m, p.n, p.k};
  const std::size_t half = std::size_t{p.n} * p.k;
  const std::size_t first = std::size_t{step.index} * p.n;
  const std::size_t valid = p.valid <= first ? 0 : std::min<std::size_t>(p.valid - first, p.n);
  const kernel::KeyValueBlock block{core.b<const bfloat16>(half),
                                    core.b<const bfloat16>(half, half * sizeof(bfloat16)), valid};
  kernel::flash_attention_step(shape, core.c<const bfloat16>(std::size_t{p.m} * p.k), block,
                               core.attention(p), kRounding);
}

}  // namespace

void run_task(const PhaseHeader& p, const Step& step, std::span<std::byte> memory, Slots slots) {
  const CoreView core(memory, slots);
  const kernel::AttentionShape attention{p.m, p.n, p.k};
  const std::size_t mk = std::size_t{p.m} * p.k;
  switch (step.task) {
    case Task::load_parameters:
      core.copy(kParameters, kPortB + slots.b * kElementBytes, kParameterBytes);
      std::ranges::fill(core.accumulators<float>(std::size_t{p.m} * p.n), 0.0f);
      break;
    case Task::load_row_scales:
      core.copy(kRowScales, kPortA + slots.a * kElementBytes, p.m * sizeof(float));
      break;
    case Task::store_row_scales:
      core.copy(kPortC + slots.c * kElementBytes, kRowScales, p.m * sizeof(float));
      break;
    case Task::multiply:
      multiply(p, core);
      break;
    case Task::finish_bias:
    case Task::finish_gelu:
    case Task::finish_residual:
      finish(p, step.task, core);
      break;
    case Task::norm_rows:
    case Task::norm_quantise:
      norm(p, step.task, core);
      break;
    case Task::gelu_rows:
      gelu(p, core);
      break;
    case Task::load_queries:
      std::ranges::copy(core.a<const bfloat16>(mk), core.c<bfloat16>(mk).begin());
      kernel::flash_attention_start(attention, core.attention(p));
      break;
    case Task::attend:
      attend(p, step, core);
      break;
    case Task::finish_attention:
      kernel::flash_attention_finish(attention, core.attention(p), core.c<bfloat16>(mk), kRounding);
      break;
  }
}

}  // namespace wnpu::npu
