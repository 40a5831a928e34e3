#include "models/files/huggingface_files.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/tensor_layout.h"
#include "models/files/tensor_names.h"
#include "models/text/byte_level.h"

namespace wnpu::models {
namespace {

using nlohmann::json;

// Values that are made fp32 at once.
constexpr std::size_t kValuesTogether = std::size_t{1} << 20U;
// The header is filled with spaces to a multiple of this, so that the values are aligned.
constexpr std::size_t kAlignment = 8;

bool keeps_bits(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

DType stored_type(const TensorView& view) {
  return keeps_bits(view.dtype) ? view.dtype : DType::f32;
}

const char* type_name(DType dtype) {
  if (dtype == DType::f16) return "F16";
  return dtype == DType::bf16 ? "BF16" : "F32";
}

StreamedFile text_file(std::string name, std::string text) {
  return {std::move(name), [text = std::move(text)](const Sink& sink) { sink(text); }};
}

// transformers models/whisper/configuration_whisper.py.
json config_of(const Dims& dims) {
  const auto end = static_cast<int>(dims.n_text_tokens());
  return {{"architectures", {"WhisperForConditionalGeneration"}},
          {"model_type", "whisper"},
          {"activation_function", "gelu"},
          {"scale_embedding", false},
          {"is_encoder_decoder", true},
          {"num_mel_bins", dims.n_mels},
          {"max_source_positions", dims.n_audio_ctx},
          {"d_model", dims.n_audio_state},
          {"encoder_layers", dims.n_audio_layer},
          {"encoder_attention_heads", dims.n_audio_head},
          {"encoder_ffn_dim", 4 * dims.n_audio_state},
          {"num_hidden_layers", dims.n_audio_layer},
          {"vocab_size", dims.n_vocab},
          {"max_target_positions", dims.n_text_ctx},
          {"decoder_layers", dims.n_text_layer},
          {"decoder_attention_heads", dims.n_text_head},
          {"decoder_ffn_dim", 4 * dims.n_text_state},
          {"bos_token_id", end},
          {"eos_token_id", end},
          {"pad_token_id", end},
          {"decoder_start_token_id", end + 1}};
}

json generation_config_of(const ModelFile& file) {
  const auto end = static_cast<int>(file.dims().n_text_tokens());
  json config = {{"bos_token_id", end},
                 {"eos_token_id", end},
                 {"pad_token_id", end},
                 {"decoder_start_token_id", end + 1},
                 {"max_length", file.dims().n_text_ctx},
                 {"is_multilingual", file.dims().is_multilingual()}};
  const ModelConfig& lists = file.config();
  if (!lists.suppress_tokens.empty()) config["suppress_tokens"] = lists.suppress_tokens;
  if (!lists.suppress_tokens_begin.empty()) {
    config["begin_suppress_tokens"] = lists.suppress_tokens_begin;
  }
  if (!lists.alignment_heads.empty()) config["alignment_heads"] = lists.alignment_heads;
  return config;
}

json vocabulary_of(const ModelFile& file) {
  json ids = json::object();
  for (std::size_t id = 0; id < file.token_bytes().size(); ++id) {
    const std::string spelled = spelling_of_bytes(file.token_bytes()[id]);
    if (ids.contains(spelled)) {
      throw ModelError(file.path() + ": vocabulary: expected each token once, found \"" + spelled +
                       "\" at ids " + ids[spelled].dump() + " and " + std::to_string(id));
    }
    ids[spelled] = id;
  }
  return ids;
}

struct NamedView {
  std::string name;
  TensorView view;
};

std::vector<NamedView> stored_tensors(const ModelFile& file) {
  std::vector<NamedView> tensors;
  for (const TensorSpec& spec : whisper_tensors(file.dims())) {
    tensors.push_back({transformers_name(spec.name), file.tensor(spec.name, spec.shape)});
  }
  return tensors;
}

// Length and text of the header, models/files/safetensors_reader.h.
std::string header_of(const std::vector<NamedView>& tensors) {
  json header = {{"__metadata__", {{"format", "pt"}}}};
  std::uint64_t offset = 0;
  for (const NamedView& tensor : tensors) {
    const DType type = stored_type(tensor.view);
    const std::uint64_t end = offset + storage_bytes(type, tensor.view.shape).value();
    header[tensor.name] = {
        {"dtype", type_name(type)}, {"shape", tensor.view.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text;
}

void write_values(const TensorView& view, const Sink& sink) {
  if (keeps_bits(view.dtype)) {
    sink(as_text(view.bytes));
    release(view);
    return;
  }
  const std::size_t step = std::max<std::size_t>(1, kValuesTogether / view.row_size());
  std::vector<float> values;
  for (std::size_t first = 0; first < view.shape[0]; first += step) {
    const TensorView part = row_range(view, first, std::min(step, view.shape[0] - first));
    values.resize(part.size());
    dequantize(part, values);
    sink({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }
  release(view);
}

}  // namespace

std::vector<StreamedFile> huggingface_settings(const ModelFile& file) {
  constexpr int kIndent = 1;
  std::vector<StreamedFile> files;
  files.push_back(text_file("config.json", config_of(file.dims()).dump(kIndent) + "\n"));
  files.push_back(
      text_file("generation_config.json", generation_config_of(file).dump(kIndent) + "\n"));
  if (!file.token_bytes().empty()) {
    files.push_back(text_file("vocab.json", vocabulary_of(file).dump() + "\n"));
  }
  return files;
}

std::vector<StreamedFile> huggingface_files(const ModelFile& file) {
  std::vector<StreamedFile> files = huggingface_settings(file);
  files.push_back({"model.safetensors", [tensors = stored_tensors(file)](const Sink& sink) {
                     sink(header_of(tensors));
                     for (const NamedView& tensor : tensors) write_values(tensor.view, sink);
                   }});
  return files;
}

}  // namespace wnpu::models
