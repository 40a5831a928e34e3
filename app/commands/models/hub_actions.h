// Actions of `whisper-npu models`: models by name, and model files themselves.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand list_action();
Subcommand pull_action();
Subcommand verify_action();
Subcommand remove_action();
Subcommand path_action();
Subcommand info_action();
Subcommand convert_action();
Subcommand export_action();

// Arguments that these actions share: names, and the folder that they are in.
struct NamedModels {
  std::vector<std::string> names;  // for --help; the command line brings them itself
  std::string model_dir;           // empty: the cache folder

  std::filesystem::path folder() const;
};
void add_model_dir(CLI::App& app, NamedModels& named);
// "model", and --model-dir.
void add_named_models(CLI::App& app, NamedModels& named,
                      const char* help = "Name: models list shows them");
inline constexpr const char* kNameOrPath = "Name (models list shows them), or a path with a slash";

// Path of a name, of a model or of the detector of speech, in the folder; empty: not found.
std::filesystem::path find_stored(const std::string& name, const std::filesystem::path& folder);
// All that models pull takes, in full.
std::vector<std::string> pulled_names();

// Throws UsageError: `action` expects one name, or names.
void require_one(const std::vector<std::string>& names, std::string_view action);
void require_some(const std::vector<std::string>& names, std::string_view action);

// As find_stored(). Where it is nowhere, throws ModelError, with the command that pulls it where it
// is one of the catalogue, else with the name that is close to it.
std::filesystem::path place_of(const std::string& name, const std::filesystem::path& folder);
// A path that exists, with a slash in it, as it is; anything else by place_of().
std::filesystem::path place_or_path(const std::string& name_or_path,
                                    const std::filesystem::path& folder);

}  // namespace wnpu::app
