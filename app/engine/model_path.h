// Where models lie.
#pragma once

#include <filesystem>
#include <string>

namespace wnpu::app {

// $XDG_CACHE_HOME/whisper-npu, or ~/.cache/whisper-npu (npu/xdg_folder.h); always absolute.
std::filesystem::path model_folder();

// A path that exists is taken as it is; anything else without a slash is a name in `folder`, or
// openai/whisper's other name of one ("turbo"). Throws ModelError that says where was looked and
// what is there.
std::filesystem::path find_model(const std::string& name_or_path,
                                 const std::filesystem::path& folder = model_folder());

// The file with the weights: the model itself, or model.bin or model.safetensors in its folder;
// empty where there is none.
std::filesystem::path weights_file(const std::filesystem::path& model);

// The voice activity detector's weights, where nothing else is said.
std::filesystem::path vad_weights_file();

}  // namespace wnpu::app
