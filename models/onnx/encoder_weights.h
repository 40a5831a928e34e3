// The weights of Whisper's encoder in an ONNX graph of it.
#pragma once

#include <map>
#include <string>

#include "models/base/dims.h"
#include "models/onnx/graph_patterns.h"

namespace wnpu::models::onnx {

// Every tensor of the encoder under openai/whisper's name, as views into the graph's files. What
// the graph computes has to be Whisper's encoder of these dims: each operation between its input
// and its first output is looked at, but not how Reshape and Transpose arrange heads. Throws
// ModelError.
std::map<std::string, FoundTensor> find_encoder(const Graph& graph, const Dims& dims);

}  // namespace wnpu::models::onnx
