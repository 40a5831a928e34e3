// The decoder's weights, packed; for any number of decoders.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "decoder/model/vocabulary_projection.h"
#include "models/base/dims.h"
#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/products/linear.h"
#include "models/weights/precision.h"
#include "models/weights/weights.h"

namespace wnpu::decoder {

struct PackedDecoderLayer {
  kernels::LayerNorm attn_ln;
  kernels::Linear qkv;
  kernels::Linear out;
  kernels::LayerNorm cross_attn_ln;
  kernels::Linear cross_query;
  kernels::Linear cross_kv;
  kernels::Linear cross_out;
  kernels::LayerNorm mlp_ln;
  kernels::Linear mlp_0;
  kernels::Linear mlp_2;
};

struct PackedDecoder {
  // The weights may go afterwards, all but the token embedding: that and its file must outlive
  // this. Throws ModelError for a NaN or infinity among them.
  PackedDecoder(const models::Dims& of_model, const models::DecoderTensors& weights,
                models::ThreadPool& pool, models::Precision in_precision = models::Precision::fp32);
  PackedDecoder(const models::Dims& of_model, const models::DecoderWeights& weights,
                models::ThreadPool& pool, models::Precision in_precision = models::Precision::fp32)
      : PackedDecoder(of_model, models::tensors_of(weights), pool, in_precision) {}

  // From now on each matrix product shows its input rows to watcher_of(its name), which must
  // outlive this; null: none. Names are like "decoder.blocks.0.attn.query+key+value".
  void watch(const std::function<kernels::InputWatcher*(const std::string&)>& watcher_of);

  models::Dims dims;
  models::Precision precision;
  kernels::DataType number;           // of all layers' weights but cross_kv's
  kernels::DataType cross_kv_number;  // of cross_kv's, whose inputs are a window's states
  PackedVocabulary vocabulary;
  models::Matrix positions;  // [n_text_ctx, n_text_state]
  std::vector<PackedDecoderLayer> layers;
  kernels::LayerNorm ln;
};

}  // namespace wnpu::decoder
