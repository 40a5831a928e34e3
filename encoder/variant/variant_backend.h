// A variant of an encoder (npu/search/encoder_variant.h) made of a model's weights, on the CPU in
// fp32: to hear what is left of it, not to be fast. What the array does in bf16 is fp32 here; of
// int8 weights and LayerNorm's rows are rounded as the array rounds them.
#pragma once

#include <memory>
#include <vector>

#include "encoder/cpu/attention.h"
#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/layer_backend.h"
#include "models/base/dims.h"
#include "models/base/thread_pool.h"
#include "models/weights/weights.h"
#include "npu/search/encoder_variant.h"

namespace wnpu::encoder {

// Shape of a model's whole encoder, from which variants are cut.
npu::WholeEncoder whole_encoder(const models::Dims& dims);

class VariantBackend : public LayerBackend {
 public:
  // `layers` of a model with these dims may go afterwards, `pool` must outlive the backend. Throws
  // std::invalid_argument for a variant that there is none of.
  VariantBackend(const models::Dims& dims, std::span<const models::EncoderLayerWeights> layers,
                 const npu::EncoderVariant& variant, models::ThreadPool& pool);

  // Layers of the model: those that a variant drops leave the states as they are.
  std::size_t n_layers() const override { return layers_.size(); }
  // Means of neighbouring positions.
  void load(models::ConstMatrixView states) override;
  void run_layer(std::size_t layer) override;
  // Each position as often as it had neighbours.
  void store(models::MatrixView states) override;

 private:
  struct Layer {
    CpuLayer weights;
    bool is_int8 = false;
    std::size_t attended = 0;  // columns
    std::unique_ptr<Attention<Fp32Arithmetic>> attention;
    std::vector<Attention<Fp32Arithmetic>::Scratch> scratch;  // a thread
  };

  template <typename F>
  void for_each_block(const F& f);  // f(first row, rows, thread)
  void attend(Layer& layer);
  void feed_forward(Layer& layer);
  // Normed states, of int8 in its steps.
  models::ConstMatrixView normed(const Layer& layer, const kernels::LayerNorm& norm);

  models::ThreadPool& pool_;
  std::size_t pooling_;
  models::Matrix states_;                       // [pooled frames, width]
  models::Matrix normed_;                       // the same
  std::vector<std::unique_ptr<Layer>> layers_;  // of the model; none: it does not stay
};

}  // namespace wnpu::encoder
