// Every tensor of a Whisper model with the shape that its dims demand.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/base/dims.h"

namespace wnpu::models {

struct TensorSpec {
  std::string name;  // openai/whisper's state-dict name
  std::vector<std::size_t> shape;
};

// All of them, encoder first. Readers check files against this list; nothing may lack or exceed.
std::vector<TensorSpec> whisper_tensors(const Dims& dims);

// Name of the tensor in HuggingFace's transformers:
// "model.encoder.layers.0.self_attn.q_proj.weight".
std::string transformers_name(std::string name);

}  // namespace wnpu::models
