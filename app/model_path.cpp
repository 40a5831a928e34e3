#include "app/model_path.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "models/error.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

bool is_model(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? !weights_file(path).empty() : path.extension() == ".bin";
}

// "found base.en, tiny.en", or "found nothing".
std::string contents_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_model(entry.path())) names.push_back(entry.path().filename());
  }
  if (names.empty()) return "found nothing";
  std::sort(names.begin(), names.end());
  std::string text = "found ";
  for (const std::string& name : names) text += (name == names.front() ? "" : ", ") + name;
  return text;
}

fs::path folder_from_environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && fs::path(value).is_absolute() ? fs::path(value) : fs::path();
}

}  // namespace

fs::path model_folder() {
  fs::path cache = folder_from_environment("XDG_CACHE_HOME");
  if (cache.empty()) cache = folder_from_environment("HOME") / ".cache";
  return cache / "whisper-npu";
}

fs::path find_model(const std::string& name_or_path) {
  std::error_code error;
  if (fs::exists(name_or_path, error)) return name_or_path;
  const std::string expected = name_or_path + ": expected a model file or folder";
  if (name_or_path.empty() || name_or_path.find('/') != std::string::npos) {
    throw models::ModelError(expected + ", found nothing");
  }
  const fs::path folder = model_folder();
  if (fs::exists(folder / name_or_path, error)) return folder / name_or_path;
  throw models::ModelError(expected + " or a name in " + folder.string() + ", " +
                           contents_of(folder) + " (app/quickstart.sh fetches tiny.en)");
}

fs::path weights_file(const fs::path& model) {
  std::error_code error;
  if (!fs::is_directory(model, error)) return model;
  for (const char* name : {"model.bin", "model.safetensors"}) {
    if (fs::exists(model / name, error)) return model / name;
  }
  return {};
}

}  // namespace wnpu::app
