// The pieces of an encoder layer on the CPU, each callable by itself, in the shapes that the layer
// has and with the kernels of encoder/cpu/cpu_layer_backend: for kernels alone, and for what a plan
// of the NPU leaves to the CPU.
#pragma once

#include <cstddef>
#include <vector>

#include "encoder/cpu/attention.h"
#include "models/base/dims.h"
#include "models/base/thread_pool.h"
#include "models/kernels/products/linear.h"
#include "models/weights/weights.h"

namespace wnpu::bench {

class LayerParts {
 public:
  // Random states and weights; `pool` must outlive this.
  LayerParts(const models::Dims& dims, std::size_t frames, models::ThreadPool& pool);

  void layer_norm();
  void query();   // [frames, width] x [width, width]: one of q, k, v
  void out();     // the same shape, added to the states
  void up();      // [frames, width] x [width, 4 width]
  void gelu();    // [frames, 4 width]
  void down();    // [frames, 4 width] x [4 width, width], added to the states
  void attend();  // all heads: softmax(q k^T / sqrt(head)) v

 private:
  models::ThreadPool& pool_;
  kernels::LayerNorm norm_;
  kernels::Linear query_, out_, up_, down_;
  models::Matrix states_, normed_, q_, attended_;  // [frames, width]
  models::Matrix hidden_;                          // [frames, 4 width]
  using Attention = encoder::Attention<encoder::Fp32Arithmetic>;
  Attention attention_;
  std::vector<Attention::Scratch> scratch_;  // a thread
};

}  // namespace wnpu::bench
