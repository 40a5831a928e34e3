// The operations that Whisper's encoder and decoder are made of, as nodes of a graph. States are
// [batch, positions, width].
#pragma once

#include <cstddef>
#include <string>

#include "models/files/model_file.h"
#include "models/onnx/graph_writer.h"

namespace wnpu::models::onnx {

class LayerNodes {
 public:
  // `graph` and `file` must outlive it.
  LayerNodes(GraphWriter& graph, const ModelFile& file, std::size_t width, std::size_t heads);

  GraphWriter& graph() { return graph_; }
  WeightTensor tensor(const std::string& name, const std::vector<std::size_t>& shape) const;

  std::string layer_norm(const std::string& states, const std::string& name,
                         const std::string& output = "");
  // y = x W^T + b of a layer [out, in]; without the bias where the layer has none.
  std::string linear(const std::string& states, const std::string& name, std::size_t out,
                     std::size_t in, bool has_bias = true);
  std::string gelu(const std::string& states);
  // fc2(gelu(fc1(layer_norm(states)))) + states
  std::string mlp(const std::string& states, const std::string& block);

  // [batch, positions, width] -> [batch, heads, positions, width / heads], under the name `output`
  // where that is given.
  std::string heads(const std::string& states, const std::string& output = "");
  // Queries times the scale of attention, by heads.
  std::string queries(const std::string& states, const std::string& attention);
  std::string keys(const std::string& states, const std::string& attention,
                   const std::string& output = "");
  std::string values(const std::string& states, const std::string& attention,
                     const std::string& output = "");
  // out(softmax(queries keys^T + mask) values) + states; no mask where `mask` is empty.
  struct Attended {
    std::string queries, keys, values, mask;
  };
  std::string attend(const std::string& states, const Attended& seen, const std::string& attention);

 private:
  GraphWriter& graph_;
  const ModelFile& file_;
  std::size_t width_;
  std::size_t heads_;
};

}  // namespace wnpu::models::onnx
