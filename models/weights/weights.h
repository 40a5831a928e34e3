// A Whisper model's weights in fp32, one struct a layer, one named field a tensor.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/base/dims.h"
#include "models/base/tensor.h"
#include "models/files/model_file.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::models {

// y = x W^T + b. Weights is Matrix, or WeightTensor where they still lie in the file.
template <typename Weights>
struct LinearOf {
  Weights weight;           // [out, in]
  std::vector<float> bias;  // [out]; empty: none
};

using LinearWeights = LinearOf<Matrix>;

// Multi-head attention. Whisper's key projection has no bias.
template <typename Weights>
struct AttentionOf {
  LinearOf<Weights> query;  // blocks.*.attn.query     [state, state]
  LinearOf<Weights> key;    // blocks.*.attn.key       [state, state], no bias
  LinearOf<Weights> value;  // blocks.*.attn.value     [state, state]
  LinearOf<Weights> out;    // blocks.*.attn.out       [state, state]
};

using AttentionWeights = AttentionOf<Matrix>;

template <typename Weights>
struct EncoderLayerOf {
  kernels::LayerNorm attn_ln;  // encoder.blocks.*.attn_ln
  AttentionOf<Weights> attn;   // encoder.blocks.*.attn
  kernels::LayerNorm mlp_ln;   // encoder.blocks.*.mlp_ln
  LinearOf<Weights> mlp_0;     // encoder.blocks.*.mlp.0  [4 state, state]
  LinearOf<Weights> mlp_2;     // encoder.blocks.*.mlp.2  [state, 4 state]
};

// Encoder weights outside its layers: convolutions and positions before them, LayerNorm after.
template <typename Weights>
struct EncoderEndsOf {
  LinearOf<Weights> conv1;      // encoder.conv1  [state, n_mels * 3], taps innermost
  LinearOf<Weights> conv2;      // encoder.conv2  [state, state * 3], taps innermost
  Matrix positional_embedding;  // encoder.positional_embedding  [n_audio_ctx, state]
  kernels::LayerNorm ln_post;   // encoder.ln_post
};

using EncoderEnds = EncoderEndsOf<Matrix>;

using EncoderLayerWeights = EncoderLayerOf<Matrix>;

struct EncoderWeights : EncoderEnds {
  std::vector<EncoderLayerWeights> layers;
};

template <typename Weights>
struct DecoderLayerOf {
  kernels::LayerNorm attn_ln;        // decoder.blocks.*.attn_ln
  AttentionOf<Weights> attn;         // decoder.blocks.*.attn
  kernels::LayerNorm cross_attn_ln;  // decoder.blocks.*.cross_attn_ln
  AttentionOf<Weights> cross_attn;   // decoder.blocks.*.cross_attn
  kernels::LayerNorm mlp_ln;         // decoder.blocks.*.mlp_ln
  LinearOf<Weights> mlp_0;           // decoder.blocks.*.mlp.0  [4 state, state]
  LinearOf<Weights> mlp_2;           // decoder.blocks.*.mlp.2  [state, 4 state]
};

template <typename Weights>
struct DecoderOf {
  Weights token_embedding;      // decoder.token_embedding.weight  [n_vocab, state]; also the output
  Matrix positional_embedding;  // decoder.positional_embedding    [n_text_ctx, state]
  std::vector<DecoderLayerOf<Weights>> layers;
  kernels::LayerNorm ln;  // decoder.ln
};

// A matrix [shape[0], the rest] where it lies, and what messages call it: "PATH: NAME".
struct WeightTensor {
  TensorView view;
  std::string name;
  std::string key = {};              // its name in the store, where there is one
  OperandStore* operands = nullptr;  // where it may be packed already
  // In floating point, in a file whose matrices are int8: quantisation has left it out.
  bool stays_finer = false;
};

// Entries first, first + 1, ... of the outermost extent.
WeightTensor row_range(const WeightTensor& tensor, std::size_t first, std::size_t count);

using EncoderEndTensors = EncoderEndsOf<WeightTensor>;
using EncoderLayerTensors = EncoderLayerOf<WeightTensor>;
using DecoderLayerWeights = DecoderLayerOf<Matrix>;
using DecoderWeights = DecoderOf<Matrix>;
using DecoderTensors = DecoderOf<WeightTensor>;

// Every tensor is looked up by name with the shape that dims demand; ModelError otherwise, also for
// a NaN or infinity among the values.
EncoderWeights load_encoder_weights(const ModelFile& file);
DecoderWeights load_decoder_weights(const ModelFile& file);

// The ends and the layers of the encoder, and the decoder, with their matrices left in the file,
// which must outlive the result: to pack one matrix at a time, since all of them in fp32 take twice
// the memory of the packed ones. Throws ModelError for a missing tensor or a wrong shape; NaN and
// infinity are found when a matrix is packed.
EncoderEndTensors find_encoder_ends(const ModelFile& file);
std::vector<EncoderLayerTensors> find_encoder_layers(const ModelFile& file);
DecoderTensors find_decoder_weights(const ModelFile& file);
// Views of weights in memory, in the form of those of a file.
WeightTensor tensor_of(ConstMatrixView matrix);
EncoderEndTensors tensors_of(const EncoderEnds& ends);
std::vector<EncoderLayerTensors> tensors_of(std::span<const EncoderLayerWeights> layers);
DecoderTensors tensors_of(const DecoderWeights& weights);

// tensor -> fp32; throws ModelError for a NaN or infinity.
void read_finite(const WeightTensor& tensor, std::span<float> out);

}  // namespace wnpu::models
