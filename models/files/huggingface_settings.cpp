#include "models/files/huggingface_settings.h"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "models/text/byte_level.h"

namespace wnpu::models {
namespace {

using nlohmann::json;

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

}  // namespace wnpu::models
