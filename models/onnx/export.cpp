#include "models/onnx/export.h"

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "models/files/tensor_names.h"
#include "models/onnx/graph_writer.h"
#include "models/onnx/layer_nodes.h"

namespace wnpu::models {
namespace {

using onnx::DataFile;
using onnx::Element;
using onnx::Extent;
using onnx::GraphWriter;
using onnx::LayerNodes;

Extent batch_of(const OnnxOptions& options) {
  return options.batch == 0 ? Extent("batch_size") : Extent(options.batch);
}

void describe_graph(GraphWriter& graph, const ModelFile& file) {
  const Dims& dims = file.dims();
  graph.describe("n_mels", std::to_string(dims.n_mels));
  graph.describe("n_audio_head", std::to_string(dims.n_audio_head));
  graph.describe("n_text_head", std::to_string(dims.n_text_head));
  graph.describe("source_format", file.format());
}

std::string convolution(LayerNodes& nodes, const std::string& input, const std::string& name,
                        std::vector<std::size_t> shape, std::int64_t stride) {
  GraphWriter& graph = nodes.graph();
  graph.set_scope(name);
  const std::string weight = name + ".weight";
  const std::string bias = name + ".bias";
  const std::size_t out = shape[0];
  const std::string convolved =
      graph.node("Conv",
                 {input, graph.matrix(transformers_name(weight), nodes.tensor(weight, shape)),
                  graph.vector(transformers_name(bias), nodes.tensor(bias, {out}))},
                 {{"kernel_shape", std::vector<std::int64_t>{3}},
                  {"pads", std::vector<std::int64_t>{1, 1}},
                  {"strides", std::vector<std::int64_t>{stride}}});
  return nodes.gelu(convolved);
}

GraphWriter encoder_graph(const ModelFile& file, const OnnxOptions& options) {
  const Dims& dims = file.dims();
  const std::size_t width = dims.n_audio_state;
  GraphWriter graph("encoder_model", options.is_fp16 ? Element::f16 : Element::f32);
  describe_graph(graph, file);
  graph.input("input_features", Element::f32,
              {batch_of(options), dims.n_mels, dims.n_mel_frames()});
  graph.output("last_hidden_state", {batch_of(options), dims.n_audio_ctx, width});
  LayerNodes nodes(graph, file, width, dims.n_audio_head);
  std::string x = convolution(nodes, "input_features", "encoder.conv1", {width, dims.n_mels, 3}, 1);
  x = convolution(nodes, x, "encoder.conv2", {width, width, 3}, 2);
  const std::string positions = "encoder.positional_embedding";
  graph.set_scope(positions);
  x = graph.node("Transpose", {x}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
  x = graph.node("Add", {x, graph.matrix(transformers_name(positions),
                                         nodes.tensor(positions, {dims.n_audio_ctx, width}))});
  for (std::size_t i = 0; i < dims.n_audio_layer; ++i) {
    const std::string block = "encoder.blocks." + std::to_string(i);
    const std::string attention = block + ".attn";
    const std::string normed = nodes.layer_norm(x, block + ".attn_ln");
    x = nodes.attend(x,
                     {nodes.queries(normed, attention), nodes.keys(normed, attention),
                      nodes.values(normed, attention), ""},
                     attention);
    x = nodes.mlp(x, block);
  }
  nodes.layer_norm(x, "encoder.ln_post", "last_hidden_state");
  return graph;
}

// One of the decoder's graphs: of a first step, or of one that has a past.
class DecoderGraph {
 public:
  DecoderGraph(const ModelFile& file, const OnnxOptions& options, bool has_past)
      : dims_(file.dims()),
        batch_(batch_of(options)),
        has_past_(has_past),
        graph_(has_past ? "decoder_with_past_model" : "decoder_model",
               options.is_fp16 ? Element::f16 : Element::f32),
        nodes_(graph_, file, dims_.n_text_state, dims_.n_text_head) {
    describe_graph(graph_, file);
    declare();
    std::string x = embed();
    const std::string mask = causal_mask();
    for (std::size_t i = 0; i < dims_.n_text_layer; ++i) x = layer(x, i, mask);
    x = nodes_.layer_norm(x, "decoder.ln");
    graph_.set_scope("proj_out");
    const std::string embedding =
        graph_.node("Transpose", {embedding_}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    graph_.node("MatMul", {x, embedding}, {}, "logits");
  }
  DecoderGraph(const DecoderGraph&) = delete;
  DecoderGraph& operator=(const DecoderGraph&) = delete;

  const GraphWriter& graph() const { return graph_; }

 private:
  static std::string cache_name(std::string_view side, std::size_t layer, std::string_view of,
                                std::string_view part) {
    return std::string(side) + "." + std::to_string(layer) + "." + std::string(of) + "." +
           std::string(part);
  }
  std::string past_name(std::size_t layer, std::string_view of, std::string_view part) const {
    return cache_name("past_key_values", layer, of, part);
  }
  std::string present_name(std::size_t layer, std::string_view of, std::string_view part) const {
    return cache_name("present", layer, of, part);
  }
  std::vector<Extent> cache_shape(Extent positions) const {
    return {batch_, dims_.n_text_head, std::move(positions),
            dims_.n_text_state / dims_.n_text_head};
  }

  void declare() {
    graph_.input("input_ids", Element::i64, {batch_, kNew});
    if (!has_past_) {
      graph_.input("encoder_hidden_states", Element::f32,
                   {batch_, dims_.n_audio_ctx, dims_.n_audio_state});
    }
    graph_.output("logits", {batch_, kNew, dims_.n_vocab});
    for (std::size_t i = 0; i < dims_.n_text_layer; ++i) declare_cache(i);
  }

  // Keys and values of a layer: those of the text grow, those of the window are made once.
  void declare_cache(std::size_t i) {
    const Extent grown = has_past_ ? kPastAndNew : kNew;
    for (const char* part : {"key", "value"}) {
      graph_.output(present_name(i, "decoder", part), cache_shape(grown));
      if (!has_past_) continue;
      graph_.input(past_name(i, "decoder", part), Element::f32, cache_shape(kPast));
    }
    for (const char* part : {"key", "value"}) {
      const std::vector<Extent> shape = cache_shape(dims_.n_audio_ctx);
      if (has_past_) {
        graph_.input(past_name(i, "encoder", part), Element::f32, shape);
      } else {
        graph_.output(present_name(i, "encoder", part), shape);
      }
    }
  }

  // An extent of a value, as a vector of one.
  std::string extent(const std::string& value, std::int64_t axis) {
    return graph_.node("Shape", {value}, {{"start", axis}, {"end", axis + 1}});
  }
  std::string axes(std::int64_t axis) { return graph_.integers(std::span(&axis, 1)); }

  std::string embed() {
    const std::string table = "decoder.token_embedding.weight";
    const std::string positions = "decoder.positional_embedding";
    graph_.set_scope("decoder.embeddings");
    embedding_ = graph_.matrix(transformers_name(table),
                               nodes_.tensor(table, {dims_.n_vocab, dims_.n_text_state}));
    const std::string rows =
        graph_.matrix(transformers_name(positions),
                      nodes_.tensor(positions, {dims_.n_text_ctx, dims_.n_text_state}));
    first_ = has_past_ ? extent(past_name(0, "decoder", "key"), 2) : axes(0);
    const std::string count = extent("input_ids", 1);
    end_ = has_past_ ? graph_.node("Add", {first_, count}) : count;
    return graph_.node("Add", {graph_.node("Gather", {embedding_, "input_ids"}),
                               graph_.node("Slice", {rows, first_, end_, axes(0)})});
  }

  // [new, all]: 0 where a position may be seen, else minus infinity.
  std::string causal_mask() {
    graph_.set_scope("decoder.mask");
    const std::string first = graph_.node("Squeeze", {first_, axes(0)});
    const std::string end = graph_.node("Squeeze", {end_, axes(0)});
    const std::string all = graph_.node("Range", {graph_.integer(0), end, graph_.integer(1)});
    const std::string added =
        graph_.node("Unsqueeze", {graph_.node("Range", {first, end, graph_.integer(1)}), axes(1)});
    const std::string is_seen = graph_.node("LessOrEqual", {all, added});
    return graph_.node("Where", {is_seen, graph_.number(0.0F),
                                 graph_.number(-std::numeric_limits<float>::infinity())});
  }

  // With the past before the new positions.
  std::string grown(std::size_t i, const char* part, const std::string& added) {
    const std::string present = present_name(i, "decoder", part);
    return graph_.node("Concat", {past_name(i, "decoder", part), added},
                       {{"axis", std::int64_t{2}}}, present);
  }

  std::string layer(std::string x, std::size_t i, const std::string& mask) {
    const std::string block = "decoder.blocks." + std::to_string(i);
    const std::string self = block + ".attn";
    const std::string cross = block + ".cross_attn";
    const std::string normed = nodes_.layer_norm(x, block + ".attn_ln");
    const auto present = [&](const char* part) {
      return has_past_ ? std::string() : present_name(i, "decoder", part);
    };
    std::string keys = nodes_.keys(normed, self, present("key"));
    std::string values = nodes_.values(normed, self, present("value"));
    if (has_past_) {
      keys = grown(i, "key", keys);
      values = grown(i, "value", values);
    }
    x = nodes_.attend(x, {nodes_.queries(normed, self), keys, values, mask}, self);
    const std::string asked = nodes_.layer_norm(x, block + ".cross_attn_ln");
    if (has_past_) {
      keys = past_name(i, "encoder", "key");
      values = past_name(i, "encoder", "value");
    } else {
      keys = nodes_.keys("encoder_hidden_states", cross, present_name(i, "encoder", "key"));
      values = nodes_.values("encoder_hidden_states", cross, present_name(i, "encoder", "value"));
    }
    x = nodes_.attend(x, {nodes_.queries(asked, cross), keys, values, ""}, cross);
    return nodes_.mlp(x, block);
  }

  static constexpr const char* kNew = "decoder_sequence_length";
  static constexpr const char* kPast = "past_decoder_sequence_length";
  static constexpr const char* kPastAndNew =
      "past_decoder_sequence_length + decoder_sequence_length";

  const Dims& dims_;
  Extent batch_;
  bool has_past_;
  GraphWriter graph_;
  LayerNodes nodes_;
  std::string embedding_;
  std::string first_;  // of the new positions
  std::string end_;    // of all positions
};

// Adds a file of data that the graphs share, where one of them cannot hold its own weights.
void add_files(std::vector<StreamedFile>& files, std::initializer_list<const GraphWriter*> graphs,
               const std::string& data_name, std::uint64_t most_inside) {
  bool is_external = false;
  for (const GraphWriter* graph : graphs) is_external |= graph->weight_bytes() > most_inside;
  DataFile data(data_name);
  for (const GraphWriter* graph : graphs)
    files.push_back(graph->file(is_external ? &data : nullptr));
  if (is_external) files.push_back(data.file());
}

}  // namespace

std::vector<StreamedFile> onnx_encoder_files(const ModelFile& file, const OnnxOptions& options) {
  std::vector<StreamedFile> files;
  const GraphWriter encoder = encoder_graph(file, options);
  add_files(files, {&encoder}, "encoder_model.onnx_data", options.most_inside);
  return files;
}

std::vector<StreamedFile> onnx_files(const ModelFile& file, const OnnxOptions& options) {
  std::vector<StreamedFile> files = onnx_encoder_files(file, options);
  const DecoderGraph first(file, options, false);
  const DecoderGraph later(file, options, true);
  add_files(files, {&first.graph(), &later.graph()}, "decoder_model.onnx_data",
            options.most_inside);
  return files;
}

}  // namespace wnpu::models
