// Where models lie.
#pragma once

#include <filesystem>
#include <string>

namespace wnpu::app {

// $XDG_CACHE_HOME/whisper-npu, or ~/.cache/whisper-npu (XDG Base Directory Specification: an empty
// or relative variable counts as unset).
std::filesystem::path model_folder();

// A path that exists is taken as it is; anything else without a slash is a name in model_folder().
// Throws ModelError that says where was looked and what is there.
std::filesystem::path find_model(const std::string& name_or_path);

// The file with the weights: the model itself, or model.bin or model.safetensors in its folder;
// empty where there is none.
std::filesystem::path weights_file(const std::filesystem::path& model);

}  // namespace wnpu::app
