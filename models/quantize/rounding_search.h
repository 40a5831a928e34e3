// Values of a matrix rounded so that its product is right rather than each value.
#pragma once

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"

namespace wnpu::models {

// Second moments [k, k] of a product's inputs.
Matrix second_moments(ThreadPool& pool, ConstMatrixView inputs);

// W [n, k] in int8 with a scale a row, as fp32 again. From the nearest levels on, level by level is
// moved where that brings the product of the inputs that `moments` are of nearer to W's, until none
// is. The largest value of a row keeps its level, 127, so that the row's scale is that of
// stored_values, to which the result is exact. No result depends on the threads.
Matrix round_for_product(ThreadPool& pool, ConstMatrixView weights, ConstMatrixView moments);

}  // namespace wnpu::models
