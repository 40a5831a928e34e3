// Working memory of the layers on the CPU, for windows of one size.
#pragma once

#include <cstddef>
#include <vector>

#include "encoder/cpu/attention.h"
#include "encoder/cpu/byte_attention.h"
#include "encoder/cpu/cpu_arithmetic.h"
#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"

namespace wnpu::encoder {

// Buffers of one thread for a block of rows; all of it stays in its L2.
template <typename Arithmetic>
struct BlockScratch {
  BlockScratch(const models::Dims& dims, kernels::DataType number)
      : normed(Arithmetic::block_rows(), dims.n_audio_state),
        qkv(Arithmetic::block_rows(), 3 * dims.n_audio_state),
        hidden(Arithmetic::block_rows(), 4 * dims.n_audio_state),
        attended(Arithmetic::block_rows(), dims.n_audio_state),
        attention(dims),
        products(number, Arithmetic::block_rows(), 4 * dims.n_audio_state) {}

  models::Matrix normed;    // [block_rows(), n_audio_state]
  models::Matrix qkv;       // [block_rows(), 3 n_audio_state]: each with its heads side by side
  models::Matrix hidden;    // [block_rows(), 4 n_audio_state]
  models::Matrix attended;  // [block_rows(), n_audio_state]
  typename Attention<Arithmetic>::Scratch attention;
  kernels::Linear::Scratch products;
};

template <typename Arithmetic>
struct LayerBuffers {
  // Room for windows with dims.n_audio_ctx rows.
  LayerBuffers(const models::Dims& dims, const models::PooledPadding& of_window,
               kernels::DataType number, std::size_t n_threads)
      : pooled(of_window),
        attention(dims, of_window),
        states(dims.n_audio_ctx, dims.n_audio_state),
        queries(dims.n_audio_ctx, dims.n_audio_state) {
    for (std::size_t t = 0; t < n_threads; ++t) scratch.emplace_back(dims, number);
  }

  models::PooledPadding pooled;
  Attention<Arithmetic> attention;
  models::Matrix states;   // [n_audio_ctx, n_audio_state], the residual stream
  models::Matrix queries;  // [n_audio_ctx, n_audio_state], heads side by side
  std::vector<BlockScratch<Arithmetic>> scratch;  // a thread
};

}  // namespace wnpu::encoder
