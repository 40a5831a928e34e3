// Options that come from the environment and the configuration file, for the command that was
// named.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/options/config_file.h"

namespace wnpu::app {

// Keys of a file and names of variables are those of the options that are declared to CLI11. What
// is declared with configurable(false) is taken from the command line alone.
inline constexpr const char* kConfigOption = "--config";

struct Setting {
  enum class Origin { environment, file };

  const CLI::App* command = nullptr;
  const CLI::Option* option = nullptr;
  std::vector<std::string> values;  // as the command line has them; True or False of a flag
  Origin origin = Origin::file;
  std::string variable;  // of the environment
  std::string file;      // of a file, and its line
  std::size_t line = 0;
  // WHISPER_NPU_XCLBIN: the engine looks at it where it opens an NPU, and nobody else does.
  bool is_engines = false;

  // "WHISPER_NPU_BEAM_SIZE", "/home/me/config.toml:3"
  std::string place() const;
};

// "--beam-size"
std::string long_name(const CLI::Option& option);
// "WHISPER_NPU_BEAM_SIZE" of "beam-size"
std::string variable_of(std::string name);
// Whether a file or the environment may give it.
bool is_setting(const CLI::Option& option);

// Settings of each command in the file: a table a command, [bench], [npu.predict]; `usual`'s
// options may also stand above all tables. Throws UsageError for a key that is no option, with the
// closest name, a key that is there twice, and a value of a kind that the option does not take.
std::vector<Setting> settings_of(const ConfigNode& config, const std::string& file,
                                 const CLI::App& program, const CLI::App& usual);
// Settings of `usual` in the environment. An empty variable counts as unset. Throws UsageError for
// a flag that is neither true nor false, and an option that is there by two names.
std::vector<Setting> settings_of(const ConfigSources& surroundings, const CLI::App& usual);

// Names of variables that are no option's but are close to one's, each with what may have been
// meant.
std::vector<std::string> doubtful_variables(const ConfigSources& surroundings,
                                            const CLI::App& usual);

// Settings of `command` that take effect: the environment's before the file's.
std::vector<Setting> that_count(const std::vector<Setting>& of_file,
                                const std::vector<Setting>& of_environment,
                                const CLI::App& command);

// Origin of each option that the command line does not give: "--beam-size" -> place().
using Origins = std::map<std::string, std::string>;
// `message`, and where those of the options come from that it names or that are `behind` it.
std::string with_origins(const std::string& message, const Origins& origins,
                         std::span<const std::string_view> behind = {});
// work(), whose errors of options say so, and those of a model or device, which name no option but
// what --model or --device says.
int run_with_origins(const Origins& origins, const std::function<int()>& work);

}  // namespace wnpu::app
