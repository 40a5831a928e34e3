// Work of a core between taking and releasing elements. Buffers: the elements at the heads of the
// ports, and the core's own accumulators, parameters and attention state (core_memory.h).
#pragma once

namespace wnpu::npu {

enum class Task {
  load_parameters,   // B -> bias and column scales; clears the accumulators
  load_row_scales,   // A -> row scales
  multiply,          // accumulators += A x B
  finish_bias,       // C = accumulators + bias
  finish_gelu,       // C = gelu(accumulators + bias)
  finish_residual,   // C = A + accumulators + bias
  norm_rows,         // C = layer norm of A's rows
  norm_quantise,     // C = the same as int8; row scales kept
  store_row_scales,  // C = row scales
  gelu_rows,         // C = gelu(A), elements as they come
  load_queries,      // C = A (queries wait in C's buffer); clears the attention state
  attend,            // attention state and accumulators take in the keys and values of B
  finish_attention,  // C = accumulators / sums
};

}  // namespace wnpu::npu
