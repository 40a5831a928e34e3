// A Whisper model's weights in fp32, one struct a layer, one named field a tensor.
#pragma once

#include <vector>

#include "models/dims.h"
#include "models/model_file.h"
#include "models/tensor.h"

namespace wnpu::models {

// y = x W^T + b, W as [out, in].
struct Linear {
  Matrix weight;            // [out, in]
  std::vector<float> bias;  // [out]; empty: none
};

struct LayerNorm {
  std::vector<float> gamma;  // [width]
  std::vector<float> beta;   // [width]
};

// Multi-head attention. Whisper's key projection has no bias.
struct AttentionWeights {
  Linear query;  // blocks.*.attn.query     [state, state]
  Linear key;    // blocks.*.attn.key       [state, state], no bias
  Linear value;  // blocks.*.attn.value     [state, state]
  Linear out;    // blocks.*.attn.out       [state, state]
};

struct EncoderLayerWeights {
  LayerNorm attn_ln;      // encoder.blocks.*.attn_ln
  AttentionWeights attn;  // encoder.blocks.*.attn
  LayerNorm mlp_ln;       // encoder.blocks.*.mlp_ln
  Linear mlp_0;           // encoder.blocks.*.mlp.0  [4 state, state]
  Linear mlp_2;           // encoder.blocks.*.mlp.2  [state, 4 state]
};

struct EncoderWeights {
  Linear conv1;                 // encoder.conv1  [state, n_mels * 3], taps innermost
  Linear conv2;                 // encoder.conv2  [state, state * 3], taps innermost
  Matrix positional_embedding;  // encoder.positional_embedding  [n_audio_ctx, state]
  std::vector<EncoderLayerWeights> layers;
  LayerNorm ln_post;  // encoder.ln_post
};

struct DecoderLayerWeights {
  LayerNorm attn_ln;            // decoder.blocks.*.attn_ln
  AttentionWeights attn;        // decoder.blocks.*.attn
  LayerNorm cross_attn_ln;      // decoder.blocks.*.cross_attn_ln
  AttentionWeights cross_attn;  // decoder.blocks.*.cross_attn
  LayerNorm mlp_ln;             // decoder.blocks.*.mlp_ln
  Linear mlp_0;                 // decoder.blocks.*.mlp.0  [4 state, state]
  Linear mlp_2;                 // decoder.blocks.*.mlp.2  [state, 4 state]
};

struct DecoderWeights {
  Matrix token_embedding;       // decoder.token_embedding.weight  [n_vocab, state]; also the output
  Matrix positional_embedding;  // decoder.positional_embedding    [n_text_ctx, state]
  std::vector<DecoderLayerWeights> layers;
  LayerNorm ln;  // decoder.ln
};

// Every tensor is looked up by name with the shape that dims demand; ModelError otherwise, also for
// a NaN or infinity among the values.
EncoderWeights load_encoder_weights(const ModelFile& file);
DecoderWeights load_decoder_weights(const ModelFile& file);

}  // namespace wnpu::models
