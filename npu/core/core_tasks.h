// A core's tasks as calls of tile kernels on its data memory: the same on a core and here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/core/core_memory.h"
#include "npu/core/phase_header.h"
#include "npu/core/task.h"
#include "npu/kernel/tile_kernels.h"

namespace wnpu::npu {

// Elements at the heads of the ports, counted within a port's buffer.
struct Slots {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

// Kernels::table() gives the TileKernels.
template <typename Kernels>
class CoreTasks {
 public:
  // `memory`: the core's 64 KB, on a vector.
  explicit CoreTasks(std::byte* memory) : memory_(memory) {}

  // `step` as in PhaseWalk. The phase is one that the kernels can do (phase_fault).
  void run(const PhaseHeader& p, Task task, std::uint32_t step, Slots slots) const {
    switch (task) {
      case Task::load_parameters:
        kernels().copy_floats(2 * kParameterFloats, b<float>(slots), at<float>(kParameters));
        kernels().fill(std::size_t{p.m} * p.n, 0.0f, accumulators());
        return;
      case Task::load_row_scales:
        kernels().copy_floats(kMaxTileRows, a<float>(slots), row_scales());
        return;
      case Task::store_row_scales:
        kernels().copy_floats(kMaxTileRows, row_scales(), c<float>(slots));
        return;
      case Task::multiply:
        return multiply(p, slots);
      case Task::finish_bias:
      case Task::finish_gelu:
      case Task::finish_residual:
        return finish(p, task, slots);
      case Task::norm_rows:
        kernels().layer_norm_bf16({p.m, p.k}, a<bfloat16>(slots), c<bfloat16>(slots), kRounding);
        return;
      case Task::norm_quantise:
        kernels().layer_norm_bf16({p.m, p.k}, a<bfloat16>(slots), at<bfloat16>(kAccumulators),
                                  kRounding);
        kernels().quantise({p.m, p.k}, at<bfloat16>(kAccumulators), c<std::int8_t>(slots),
                           row_scales());
        return;
      case Task::gelu_rows:
        return gelu(p, slots);
      case Task::load_queries:
        kernels().copy(std::size_t{p.m} * p.k, a<bfloat16>(slots), c<bfloat16>(slots));
        kernels().attention_start(attention_shape(p), attention_sums());
        return;
      case Task::attend:
        return attend(p, step, slots);
      case Task::finish_attention:
        kernels().attention_finish(attention_shape(p), attention_sums(), c<bfloat16>(slots),
                                   kRounding);
        return;
    }
  }

 private:
  static constexpr Rounding kRounding = Rounding::nearest_even;

  static constexpr const kernel::TileKernels& kernels() { return Kernels::table(); }

  // Every offset is a multiple of a vector; the bytes were made by DMA or by kernels of the same
  // types.
  template <typename T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(memory_ + offset);
  }
  template <typename T>
  T* a(Slots slots) const {
    return at<T>(kPortA + slots.a * kElementBytes);
  }
  template <typename T>
  T* b(Slots slots) const {
    return at<T>(kPortB + slots.b * kElementBytes);
  }
  template <typename T>
  T* c(Slots slots) const {
    return at<T>(kPortC + slots.c * kElementBytes);
  }
  float* accumulators() const { return at<float>(kAccumulators); }
  float* bias() const { return at<float>(kParameters); }
  float* row_scales() const { return at<float>(kRowScales); }
  static kernel::AttentionShape attention_shape(const PhaseHeader& p) { return {p.m, p.n, p.k}; }
  kernel::AttentionSums attention_sums() const {
    return {at<float>(kAttentionReference), at<float>(kAttentionSum), accumulators(),
            at<bfloat16>(kAttentionWeights)};
  }

  void multiply(const PhaseHeader& p, Slots slots) const {
    if (p.kernel == Kernel::gemm_int8) {
      kernels().gemm_int8({p.m, p.k, p.n}, a<std::int8_t>(slots), b<std::int8_t>(slots),
                          at<std::int32_t>(kAccumulators));
    } else {
      kernels().gemm_bf16({p.m, p.k, p.n}, a<bfloat16>(slots), b<bfloat16>(slots), accumulators());
    }
  }

  void finish(const PhaseHeader& p, Task task, Slots slots) const {
    const kernel::TileShape shape{p.m, p.n};
    bfloat16* const out = c<bfloat16>(slots);
    if (p.kernel == Kernel::gemm_int8) {
      kernels().dequantise(shape, at<std::int32_t>(kAccumulators), row_scales(),
                           bias() + kParameterFloats, accumulators());
    }
    if (task == Task::finish_bias) {
      kernels().bias_bf16(shape, accumulators(), bias(), out, kRounding);
    } else if (task == Task::finish_gelu) {
      kernels().bias_gelu(shape, accumulators(), bias(), out, kRounding);
    } else {
      kernels().copy(std::size_t{p.m} * p.n, a<bfloat16>(slots), out);
      kernels().bias_residual_bf16(shape, accumulators(), bias(), out, kRounding);
    }
  }

  // GELU does not look at positions: a row goes through the product's epilogue as if it were a
  // tile.
  void gelu(const PhaseHeader& p, Slots slots) const {
    const std::size_t n = std::size_t{p.m} * p.k;
    kernels().widen(n, a<bfloat16>(slots), accumulators());
    kernels().fill(kParameterFloats, 0.0f, bias());
    kernels().bias_gelu({n / kParameterFloats, kParameterFloats}, accumulators(), bias(),
                        c<bfloat16>(slots), kRounding);
  }

  // Keys of an element, then values.
  void attend(const PhaseHeader& p, std::uint32_t step, Slots slots) const {
    const std::uint32_t first = step * p.n;
    const std::uint32_t left = p.valid <= first ? 0 : p.valid - first;
    const bfloat16* const keys = b<bfloat16>(slots);
    kernels().attention_step(
        attention_shape(p),
        {c<bfloat16>(slots), keys, keys + std::size_t{p.n} * p.k, left < p.n ? left : p.n},
        attention_sums(), kRounding);
  }

  std::byte* memory_;
};

}  // namespace wnpu::npu
