#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/base/json_file.h"
#include "models/base/mapped_file.h"
#include "models/files/formats.h"
#include "models/files/safetensors_reader.h"
#include "models/files/tensor_layout.h"
#include "models/files/tensor_names.h"
#include "models/files/tokenizer_files.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kWhole = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

class SafetensorsFile final : public ModelFile {
 public:
  explicit SafetensorsFile(fs::path directory) : directory_(std::move(directory)) {
    path_ = directory_.string();
    format_ = kSafetensors;
    const fs::path config_path = join(directory_, "config.json");
    const json config = read_json(config_path, kMaxConfigBytes);
    read_dims(config, config_path.string());
    read_weights();
    take_tensors();
    check_tensors(path_);
    read_lists(config, config_path.string());
    token_bytes_ = read_text_tokens(directory_, dims_.n_text_tokens(), dims_.n_vocab);
  }

 private:
  using Tensors = std::map<std::string, TensorView>;

  // transformers models/whisper/configuration_whisper.py.
  void read_dims(const json& config, const std::string& path) {
    check(config, "model_type", "whisper", path);
    check(config, "activation_function", "gelu", path);
    check(config, "scale_embedding", false, path);
    dims_ = {.n_mels = size_at(config, "num_mel_bins", path),
             .n_audio_ctx = size_at(config, "max_source_positions", path),
             .n_audio_state = size_at(config, "d_model", path),
             .n_audio_head = size_at(config, "encoder_attention_heads", path),
             .n_audio_layer = size_at(config, "encoder_layers", path),
             .n_vocab = size_at(config, "vocab_size", path),
             .n_text_ctx = size_at(config, "max_target_positions", path),
             .n_text_state = size_at(config, "d_model", path),
             .n_text_head = size_at(config, "decoder_attention_heads", path),
             .n_text_layer = size_at(config, "decoder_layers", path)};
    validate(dims_, path);
  }

  // A switch that must stand as in every Whisper, or be left out.
  static void check(const json& config, const char* key, const json& expected,
                    const std::string& path) {
    if (!config.is_object()) throw ModelError(path + ": expected a JSON object, found another");
    const json found = config.value(key, expected);
    if (found != expected) {
      throw ModelError(path + ": " + key + ": expected " + expected.dump() + ", found " +
                       found.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60));
    }
  }

  void read_weights() {
    if (fs::exists(join(directory_, kWhole))) {
      read_shard(kWhole);
      return;
    }
    const std::string path = (join(directory_, kIndex)).string();
    const json index = read_json(path, kMaxConfigBytes);
    if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
      throw ModelError(path + ": weight_map: expected names and their files, found none");
    }
    std::set<std::string> shards;
    for (const auto& [name, shard] : index["weight_map"].items()) {
      const std::string file = shard.is_string() ? shard.get<std::string>() : shard.dump();
      // A name, not a way out of the directory.
      if (!file.ends_with(".safetensors") || fs::path(file).filename() != file) {
        throw ModelError(path + ": " + name + ": expected a .safetensors file in the directory, " +
                         "found " + file.substr(0, 60));
      }
      shards.insert(file);
    }
    for (const std::string& shard : shards) read_shard(shard);
  }

  void read_shard(const std::string& name) {
    const fs::path path = join(directory_, name);
    const MappedFile& file = files_.emplace_back(path);
    for (auto& [tensor, view] : read_safetensors(file.bytes(), path.string())) {
      // WhisperModel saved on its own lacks the prefix of WhisperForConditionalGeneration.
      const bool is_bare = tensor.starts_with("encoder.") || tensor.starts_with("decoder.");
      if (!unused_.emplace(is_bare ? "model." + tensor : tensor, std::move(view)).second) {
        throw ModelError(path.string() + ": " + tensor +
                         ": expected each tensor once, found it twice");
      }
    }
  }

  void take_tensors() {
    for (const TensorSpec& spec : whisper_tensors(dims_)) {
      const auto found = unused_.find(transformers_name(spec.name));
      if (found == unused_.end()) continue;  // check_tensors says so
      add_tensor(spec.name, std::move(found->second), path_);
      unused_.erase(found);
    }
    take_output();
    if (!unused_.empty()) {
      throw ModelError(path_ + ": " + unused_.begin()->first +
                       ": expected only Whisper's tensors, found this one too");
    }
  }

  // Whisper's output matrix is its embedding; some files have it twice.
  void take_output() {
    const auto output = unused_.find("proj_out.weight");
    const auto embedding = tensors_.find("decoder.token_embedding.weight");
    if (output == unused_.end() || embedding == tensors_.end()) return;
    if (output->second.dtype != embedding->second.dtype ||
        output->second.shape != embedding->second.shape ||
        !std::ranges::equal(output->second.bytes, embedding->second.bytes)) {
      throw ModelError(path_ +
                       ": proj_out.weight: expected the same values as "
                       "model.decoder.embed_tokens.weight, found others");
    }
    unused_.erase(output);
  }

  // generation_config.json has them; before it came into use, config.json.
  void read_lists(const json& config, const std::string& config_path) {
    const fs::path path = join(directory_, "generation_config.json");
    const bool is_there = fs::exists(path);
    const json lists = is_there ? read_json(path, kMaxConfigBytes) : config;
    const std::string from = is_there ? path.string() : config_path;
    config_.suppress_tokens = ids_at(lists, "suppress_tokens", dims_.n_vocab, from);
    config_.suppress_tokens_begin = ids_at(lists, "begin_suppress_tokens", dims_.n_vocab, from);
    config_.alignment_heads =
        pairs_at(lists, "alignment_heads", {dims_.n_text_layer, dims_.n_text_head}, from);
  }

  fs::path directory_;
  std::vector<MappedFile> files_;
  Tensors unused_;  // by transformers' names, until they are in tensors_
};

}  // namespace

std::unique_ptr<ModelFile> open_safetensors(const fs::path& directory) {
  return std::make_unique<SafetensorsFile>(directory);
}

bool has_safetensors(const fs::path& directory) {
  return fs::exists(join(directory, kWhole)) || fs::exists(join(directory, kIndex));
}

}  // namespace wnpu::models
