// Products with a right side of nibbles (models/nibble_matrix.h), on the widest SIMD instructions
// of the machine: sums of bytes times nibbles, exact in int32.
#pragma once

#include "models/nibble_matrix.h"
#include "models/tensor.h"
#include "models/thread_pool.h"

namespace wnpu::models {

// c = a b, on all threads of the pool: [rows of a, columns of b].
void gemm(ThreadPool& pool, const OctetRows& a, const NibbleMatrix& b, MatrixView c);

}  // namespace wnpu::models
