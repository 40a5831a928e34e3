// The configuration file: where it is, and what it says. What its keys mean is settings.h's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wnpu::app {

// Process inputs beside the words of its command line. Tests have their own.
struct ConfigSources {
  std::map<std::string, std::string> variables;  // WHISPER_NPU_* of the environment
  std::filesystem::path usual_config;            // read where it is there; empty: none
};
ConfigSources config_sources_of_process();

// Something written in the file, with the line that it begins in.
struct ConfigNode {
  enum class Kind { boolean, integer, number, text, list, table, other };

  Kind kind = Kind::other;
  std::size_t line = 0;
  std::string text;                                           // of what is neither list nor table
  std::vector<ConfigNode> items = {};                         // of a list
  std::vector<std::pair<std::string, ConfigNode>> keys = {};  // of a table
};

// "a string", "a whole number"
std::string_view name_of(ConfigNode::Kind kind);

struct ConfigPlace {
  std::filesystem::path file;  // empty: no file is read
  bool is_named = false;       // by --config or WHISPER_NPU_CONFIG: it has to be there
};

// `named` is what --config says. An empty name, there or in WHISPER_NPU_CONFIG, means no file.
ConfigPlace config_place(const std::optional<std::string>& named,
                         const ConfigSources& surroundings);

// The file as a table; an empty one where there is none and need not be. Throws UsageError where it
// cannot be read or is no TOML, with its name and line.
ConfigNode read_config(const ConfigPlace& place);
// read_config() of a text; `name` is for messages.
ConfigNode parse_config(std::string_view text, const std::string& name);

// `text` as TOML writes a string, in quotes.
std::string toml_string(const std::string& text);
// The shortest text that TOML reads as this number.
std::string toml_number(double number);

}  // namespace wnpu::app
