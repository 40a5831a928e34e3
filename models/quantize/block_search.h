// Blocks of ggml's q types whose scales and levels make a product right rather than each value.
#pragma once

#include <string>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/quantize/stored_values.h"

namespace wnpu::models {

// A product's weights [n, k], and the second moments of its inputs [k, k] (rounding_search.h).
struct RoundedProduct {
  ConstMatrixView weights;
  ConstMatrixView moments;
};

// The weights as a file of the type has them. Scales (and minima) are searched for by what each
// channel weighs in the product, then levels and scales are moved in turn while that brings the
// product nearer to what it was. No row's product is worse than with nearest_block throughout.
// `name` is for messages. Throws ModelError as stored_values does. No result depends on the
// threads.
StoredValues blocks_for_product(ThreadPool& pool, const RoundedProduct& product, DType type,
                                const std::string& name);

}  // namespace wnpu::models
