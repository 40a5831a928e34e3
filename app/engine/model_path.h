// Folders, names and paths of models.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wnpu::app {

// $XDG_CACHE_HOME/whisper-npu, or ~/.cache/whisper-npu (npu/xdg_folder.h); always absolute.
std::filesystem::path model_folder();

// A model's name by another one: openai-whisper's ("turbo"), or its publisher's on the Hugging Face
// Hub ("Systran/faster-whisper-tiny"). Any other is as it was.
std::string full_model_name(const std::string& name);

// Path of a name in `folder`: that name itself, a file of it as `models convert`, whisper.cpp and
// openai-whisper call it ("base.wnpu", "ggml-base.bin", "base.pt"), or its full name. Empty: not
// found, or not a name. An empty folder counts as absent.
std::filesystem::path find_name(const std::string& name, const std::filesystem::path& folder);

// A path that exists is taken as it is; anything else is such a name, or none. Throws
// ModelError that says where was looked and what is there.
std::filesystem::path find_model(const std::string& name_or_path,
                                 const std::filesystem::path& folder = model_folder());

// A folder with weights, or a file that ends as those do.
bool is_named_as_model(const std::filesystem::path& path);

// A name that a file of a model has in its folder, in any of the formats that are read: weights,
// configuration, vocabulary.
bool is_model_file_name(std::string_view name);

// Names of the models in `folder`, sorted: folders with weights, and files with a model's ending.
std::vector<std::string> models_in(const std::filesystem::path& folder);

// The file with the weights: the model itself, or model.bin, model.safetensors, the index of a
// model in several files (model.safetensors.index.json), ggml-model.bin or model.pt in its folder;
// empty where there is none.
std::filesystem::path weights_file(const std::filesystem::path& model);

// The voice activity detector's weights, where nothing else is said.
std::filesystem::path vad_weights_file();
// Folder of the networks that tell speakers apart, where nothing else is said.
std::filesystem::path speaker_model_folder();

}  // namespace wnpu::app
