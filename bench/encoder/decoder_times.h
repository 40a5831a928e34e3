// A decoder's step measured on the CPU.
#pragma once

#include <cstddef>

#include "bench/core/timing.h"
#include "models/base/dims.h"
#include "models/base/thread_pool.h"
#include "models/weights/precision.h"
#include "models/weights/weights.h"

namespace wnpu::bench {

// The layers and what comes once a step, apart: from these follows a decoder of any depth.
struct DecoderStep {
  double fixed_s = 0;  // embedding, last LayerNorm, product with the vocabulary
  double layer_s = 0;  // one layer

  double seconds(std::size_t n_layers) const {
    return fixed_s + static_cast<double>(n_layers) * layer_s;
  }
};

struct DecoderUnderTest {
  const models::Dims& dims;
  const models::DecoderWeights& weights;  // may hold fewer layers than dims, but at least one
  models::Precision precision = models::auto_precision();
};

// One token for each of `batch` sequences that listen to a window each.
DecoderStep time_decoder_step(const DecoderUnderTest& model, std::size_t batch,
                              models::ThreadPool& pool, const TimingEffort& effort = {});

}  // namespace wnpu::bench
