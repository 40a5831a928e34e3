// A Whisper model as ONNX graphs, with the names of inputs, outputs and files that HuggingFace's
// optimum gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/folder.h"
#include "models/files/model_file.h"

namespace wnpu::models {

struct OnnxOptions {
  std::size_t batch = 0;  // windows of every call; 0: any number
  bool is_fp16 = false;   // matrices are stored in fp16; arithmetic is in fp32 in any case
  // Most bytes of weights in a graph; with more, all of them lie beside it. Protocol Buffers end at
  // 2 GB: the rest is for the graph.
  std::uint64_t most_inside = 2'000'000'000;
};

// encoder_model.onnx:            input_features -> last_hidden_state
// decoder_model.onnx:            input_ids, encoder_hidden_states -> logits, present.*
// decoder_with_past_model.onnx:  input_ids, past_key_values.* -> logits, present.*.decoder.*
// and their weights in encoder_model.onnx_data and decoder_model.onnx_data where a graph would have
// too many. `file` must outlive the result, whose functions throw
// ModelError for a NaN or infinity.
std::vector<StreamedFile> onnx_files(const ModelFile& file, const OnnxOptions& options);
// The encoder alone.
std::vector<StreamedFile> onnx_encoder_files(const ModelFile& file, const OnnxOptions& options);

}  // namespace wnpu::models
