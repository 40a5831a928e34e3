#include "app/engine/model_path.h"

#include <algorithm>
#include <array>
#include <vector>

#include "models/base/closest_name.h"
#include "models/base/error.h"
#include "models/base/folder.h"
#include "npu/xdg_folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// "found base.en, tiny.en", or "found nothing".
std::string found_text(const std::vector<std::string>& names) {
  std::string text = "found ";
  for (const std::string& name : names) text += (name == names.front() ? "" : ", ") + name;
  return names.empty() ? text + "nothing" : text;
}

}  // namespace

fs::path model_folder() {
  return models::join(npu::xdg_folder("XDG_CACHE_HOME", ".cache"), "whisper-npu");
}

bool is_named_as_model(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return !weights_file(path).empty();
  return path.extension() == ".bin" || path.extension() == ".pt" || path.extension() == ".wnpu";
}

bool is_model_file_name(std::string_view name) {
  // As HuggingFace's transformers, CTranslate2, whisper.cpp and openai-whisper call them.
  constexpr std::array<std::string_view, 21> kNames{"model.bin",
                                                    "model.safetensors",
                                                    "model.safetensors.index.json",
                                                    "ggml-model.bin",
                                                    "model.pt",
                                                    "config.json",
                                                    "tokenizer.json",
                                                    "tokenizer_config.json",
                                                    "vocabulary.json",
                                                    "vocabulary.txt",
                                                    "vocab.json",
                                                    "merges.txt",
                                                    "normalizer.json",
                                                    "added_tokens.json",
                                                    "special_tokens_map.json",
                                                    "hash.json",
                                                    "preprocessor_config.json",
                                                    "generation_config.json",
                                                    "silero_vad_16k.safetensors",
                                                    "pyannote_segmentation.bin",
                                                    "campplus.pt"};
  const bool is_shard = name.starts_with("model-") && name.ends_with(".safetensors");
  return is_shard || std::ranges::find(kNames, name) != kNames.end();
}

std::vector<std::string> models_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::string& name : models::names_in(folder, error)) {
    if (!name.starts_with('.') && is_named_as_model(models::join(folder, name))) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string full_model_name(const std::string& name) {
  // openai/whisper __init__.py: names of its newest models.
  if (name == "turbo") return "large-v3-turbo";
  if (name == "large") return "large-v3";
  if (name == "openai/whisper-large") return "large-v1";  // its first, which has kept the name
  struct Publisher {
    std::string_view repository, name;
  };
  constexpr std::array<Publisher, 5> kPublishers{{{"Systran/faster-whisper-", ""},
                                                  {"Systran/faster-distil-whisper-", "distil-"},
                                                  {"mobiuslabsgmbh/faster-whisper-", ""},
                                                  {"openai/whisper-", ""},
                                                  {"distil-whisper/distil-", "distil-"}}};
  for (const Publisher& each : kPublishers) {
    if (!name.starts_with(each.repository)) continue;
    const std::string full = std::string(each.name) + name.substr(each.repository.size());
    return full.ends_with("-ct2") ? full.substr(0, full.size() - 4) : full;
  }
  return name;
}

fs::path find_name(const std::string& name, const fs::path& folder) {
  const std::string full = full_model_name(name);
  std::error_code error;
  for (const std::string& each : {name, full}) {
    if (each.empty() || each.find('/') != std::string::npos) continue;
    for (const std::string& file : {each, each + ".wnpu", "ggml-" + each + ".bin", each + ".pt"}) {
      fs::path path = models::join(folder, file);
      const bool is_empty = fs::is_directory(path, error) && fs::is_empty(path, error) && !error;
      if (fs::exists(path, error) && !is_empty) return path;
    }
  }
  return {};
}

fs::path find_model(const std::string& name_or_path, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(name_or_path, error)) return name_or_path;
  const std::string expected = name_or_path + ": expected a model file or folder";
  if (error) throw models::ModelError(expected + ", found " + error.message());
  if (fs::path path = find_name(name_or_path, folder); !path.empty()) return path;
  if (name_or_path.empty() || full_model_name(name_or_path).find('/') != std::string::npos) {
    throw models::ModelError(expected + ", found nothing");
  }
  if (folder.string().starts_with(npu::kNoHome)) {
    throw models::ModelError(expected + " or a folder with models, found neither XDG_CACHE_HOME, " +
                             "nor HOME, nor a home of this user");
  }
  const std::vector<std::string> names = models_in(folder);
  throw models::ModelError(expected + " or a name in " + folder.string() + ", " +
                           found_text(names) + models::suggestion(name_or_path, names) +
                           " (whisper-npu models list shows what models pull fetches)");
}

fs::path weights_file(const fs::path& model) {
  std::error_code error;
  if (!fs::is_directory(model, error)) return model;
  for (const char* name : {"model.bin", "model.safetensors", "model.safetensors.index.json",
                           "ggml-model.bin", "model.pt"}) {
    fs::path path = models::join(model, name);
    if (fs::exists(path, error)) return path;
  }
  return {};
}

fs::path vad_weights_file() {
  return models::join(model_folder(), "silero_vad/silero_vad_16k.safetensors");
}

fs::path speaker_model_folder() { return models::join(model_folder(), "speakers"); }

}  // namespace wnpu::app
