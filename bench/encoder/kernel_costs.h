// How many operations and bytes the kernels of an encoder layer stand for. Operations of
// elementwise kernels are counted as they are written: exp, erf and sqrt are one each.
#pragma once

#include <cstddef>

#include "models/base/dims.h"

namespace wnpu::bench {

struct KernelCost {
  double operations = 0;
  double bytes = 0;  // each operand once, each result once
};

// Two sums, mean, variance; subtract, scale, gamma, beta.
KernelCost norm_cost(std::size_t rows, std::size_t width, std::size_t element_bytes);
// Maximum, subtract, exp, sum, scale.
KernelCost softmax_cost(std::size_t values, std::size_t element_bytes);
// x * 0.5 * (1 + erf(x / sqrt 2)).
KernelCost gelu_cost(std::size_t values, std::size_t element_bytes);
// [m, k] x [k, n].
KernelCost matmul_cost(std::size_t m, std::size_t k, std::size_t n, std::size_t element_bytes);
// softmax(q k^T) v for all heads over `frames` positions, `queries` of them asking.
KernelCost attention_cost(std::size_t queries, std::size_t frames, std::size_t width,
                          std::size_t heads, std::size_t element_bytes);

}  // namespace wnpu::bench
