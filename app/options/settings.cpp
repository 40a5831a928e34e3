#include "app/options/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "app/engine/whisper_npu.hpp"
#include "app/options/exit_code.h"
#include "app/options/foreign_options.h"
#include "app/options/option_values.h"
#include "models/base/closest_name.h"

namespace wnpu::app {
namespace {

using Kind = ConfigNode::Kind;

bool is_flag(const CLI::Option& option) { return !takes_value(option); }
bool is_repeatable(const CLI::Option& option) { return option.get_items_expected_max() > 1; }
// "ID,..."
bool is_list(const CLI::Option& option) { return option.get_type_name().ends_with(",..."); }

// Kinds that a value may have, and their name for messages.
struct Wanted {
  std::string name;
  std::vector<Kind> kinds;
};

Wanted wanted_of(const CLI::Option& option) {
  switch (kind_of(option)) {
    case OptionKind::boolean:
      return {"true or false", {Kind::boolean}};
    case OptionKind::integer:
      return {"a whole number", {Kind::integer}};
    case OptionKind::number:
      return {"a number", {Kind::integer, Kind::number}};
    case OptionKind::text:
      break;
  }
  return {"a string", {Kind::text, Kind::integer, Kind::number}};
}

// Whether a string is what the command line takes for a number, or for none: those of 64 bits that
// TOML has not are written so.
bool is_number_as_text(const CLI::Option& option, const std::string& text) {
  if (takes_none(option) && text == "None") return true;
  if (kind_of(option) == OptionKind::integer) return integer_of_text(text).has_value();
  return kind_of(option) == OptionKind::number && number_of_text(text).has_value();
}

class FileSettings {
 public:
  FileSettings(const std::string& file, const CLI::App& usual) : file_(file), usual_(usual) {}

  std::vector<Setting> run(const ConfigNode& config, const CLI::App& program) {
    for (const auto& [key, node] : config.keys) {
      if (command_of(program, key, node) == nullptr) take_option(usual_, key, node, &program);
    }
    take_commands(config, program);
    return std::move(found_);
  }

 private:
  [[noreturn]] void refuse(const ConfigNode& node, const std::string& key,
                           const std::string& message) const {
    throw UsageError(file_ + ":" + std::to_string(node.line) + ": " + key + ": " + message);
  }

  // The command whose table this is; nullptr: none's.
  static const CLI::App* command_of(const CLI::App& above, const std::string& key,
                                    const ConfigNode& node) {
    if (node.kind != Kind::table) return nullptr;
    const auto named =
        above.get_subcommands([&](const CLI::App* each) { return each->check_name(key); });
    return named.empty() ? nullptr : named.front();
  }

  void take_commands(const ConfigNode& table, const CLI::App& above) {
    for (const auto& [key, node] : table.keys) {
      const CLI::App* const command = command_of(above, key, node);
      if (command == nullptr) continue;
      for (const auto& [name, value] : node.keys) {
        if (command_of(*command, name, value) == nullptr)
          take_option(*command, name, value, command);
      }
      take_commands(node, *command);
    }
  }

  // `above` is whose commands a table could have been.
  void take_option(const CLI::App& command, const std::string& key, const ConfigNode& node,
                   const CLI::App* above) {
    const CLI::Option& option = option_of(command, key, node, above);
    const auto is_same = [&](const Setting& each) { return each.option == &option; };
    const auto other = std::ranges::find_if(found_, is_same);
    if (other != found_.end()) {
      refuse(node, key, "is there already, in line " + std::to_string(other->line));
    }
    found_.push_back({.command = &command,
                      .option = &option,
                      .values = values_of(option, key, node),
                      .origin = Setting::Origin::file,
                      .variable = {},
                      .file = file_,
                      .line = node.line});
  }

  const CLI::Option& option_of(const CLI::App& command, const std::string& key,
                               const ConfigNode& node, const CLI::App* above) const {
    std::string name = with_dashes(key);
    const CLI::Option* option = command.get_option_no_throw("--" + name);
    const ForeignOption* const foreign = option == nullptr ? find_foreign_option(name) : nullptr;
    if (foreign != nullptr) {
      if (foreign->ours.empty()) refuse(node, key, std::string(foreign->advice));
      if (!foreign->value.empty()) {
        refuse(
            node, key,
            "write " + std::string(foreign->ours) + " = \"" + std::string(foreign->value) + "\"");
      }
      name = foreign->ours;
      option = command.get_option_no_throw("--" + name);
    }
    if (option == nullptr) refuse(node, key, unknown(command, key, node, *above));
    if (!is_setting(*option)) refuse(node, key, "is taken from the command line alone");
    return *option;
  }

  static std::string unknown(const CLI::App& command, const std::string& key,
                             const ConfigNode& node, const CLI::App& above) {
    std::vector<std::string> names;
    if (node.kind == Kind::table) {
      for (const CLI::App* each : above.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(each->get_name());
      }
      return "there is no such command" + models::suggestion(key, names);
    }
    for (const CLI::Option* option : command.get_options(is_setting_of)) {
      for (const std::string& name : option->get_lnames()) names.push_back(name);
    }
    return "there is no such option of " + command.get_name() +
           models::suggestion(with_dashes(key), names);
  }

  static bool is_setting_of(const CLI::Option* option) { return is_setting(*option); }

  std::vector<std::string> values_of(const CLI::Option& option, const std::string& key,
                                     const ConfigNode& node) const {
    if (node.kind != Kind::list || !(is_repeatable(option) || is_list(option))) {
      return {value_of(option, key, node)};
    }
    std::vector<std::string> values;
    for (const ConfigNode& item : node.items) values.push_back(value_of(option, key, item));
    if (is_repeatable(option)) {
      if (values.empty()) refuse(node, key, "expected a value, found an empty array");
      return values;
    }
    return {CLI::detail::join(values, ",")};
  }

  std::string value_of(const CLI::Option& option, const std::string& key,
                       const ConfigNode& node) const {
    const Wanted wanted = wanted_of(option);
    const bool is_number = node.kind == Kind::text && is_number_as_text(option, node.text);
    if (!is_number && std::ranges::find(wanted.kinds, node.kind) == wanted.kinds.end()) {
      std::string message = "expected " + wanted.name;
      if (takes_none(option)) message += ", or \"None\"";
      refuse(node, key, message + ", found " + std::string(name_of(node.kind)));
    }
    // A word of a command line ends there.
    if (node.text.find('\0') != std::string::npos) {
      refuse(node, key, "expected text, found a character of code 0");
    }
    return usual_form(option, node.text);
  }

  const std::string& file_;
  const CLI::App& usual_;
  std::vector<Setting> found_;
};

// Whether `name` stands in `text` and goes on neither in front of it nor behind.
bool is_named_in(const std::string& text, const std::string& name) {
  const auto is_part = [](char c) {
    return c == '-' || std::isalnum(static_cast<unsigned char>(c));
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) {
      return true;
    }
  }
  return false;
}

// The option's variables that have a value. WHISPER_NPU_CONFIG is no option's: it says where the
// file is.
std::vector<std::string> variables_for(const CLI::Option& option,
                                       const ConfigSources& surroundings) {
  std::vector<std::string> found;
  for (const std::string& name : option.get_lnames()) {
    const auto given = surroundings.variables.find(variable_of(name));
    const bool is_given = given != surroundings.variables.end() && !given->second.empty();
    if (is_given && name != kConfigOption + 2) found.push_back(given->first);
  }
  return found;
}

constexpr std::string_view kEnginesVariable = "WHISPER_NPU_XCLBIN";  // npu/xrt/xrt_manifest.cpp

// True or False of a flag.
std::string flag_value(const std::string& variable, const std::string& text) {
  const std::string lower = CLI::detail::to_lower(text);
  if (lower == "true" || lower == "1") return "True";
  if (lower == "false" || lower == "0") return "False";
  throw UsageError(variable + ": expected True or False, found " + text);
}

// The options whose value an error with that exit code is of, though it does not name them.
std::span<const std::string_view> options_behind(int code) {
  static constexpr std::array<std::string_view, 2> kOfModel = {"--model", "--model-dir"};
  static constexpr std::array<std::string_view, 1> kOfDevice = {"--device"};
  if (code == static_cast<int>(ExitCode::model)) return kOfModel;
  if (code == static_cast<int>(ExitCode::device)) return kOfDevice;
  return {};
}

}  // namespace

std::string Setting::place() const {
  if (origin == Origin::environment) return variable;
  return file + ":" + std::to_string(line);
}

std::string long_name(const CLI::Option& option) { return "--" + option.get_lnames().front(); }

std::string variable_of(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return "WHISPER_NPU_" + name;
}

bool is_setting(const CLI::Option& option) {
  return option.get_configurable() && !option.get_positional() && !option.get_lnames().empty();
}

std::vector<Setting> settings_of(const ConfigNode& config, const std::string& file,
                                 const CLI::App& program, const CLI::App& usual) {
  return FileSettings(file, usual).run(config, program);
}

std::vector<Setting> settings_of(const ConfigSources& surroundings, const CLI::App& usual) {
  std::vector<Setting> found;
  for (const CLI::Option* option : usual.get_options()) {
    const std::vector<std::string> given = variables_for(*option, surroundings);
    if (given.empty()) continue;
    if (!is_setting(*option)) {
      throw UsageError(given.front() + ": " + long_name(*option) +
                       " is taken from the command line alone");
    }
    if (given.size() > 1) {
      throw UsageError(given[1] + " and " + given[0] + " are one option: give one");
    }
    const std::string& text = surroundings.variables.at(given.front());
    found.push_back({.command = &usual,
                     .option = option,
                     .values = {is_flag(*option) ? flag_value(given.front(), text) : text},
                     .origin = Setting::Origin::environment,
                     .variable = given.front(),
                     .file = {},
                     .is_engines = given.front() == kEnginesVariable});
  }
  return found;
}

std::vector<std::string> doubtful_variables(const ConfigSources& surroundings,
                                            const CLI::App& usual) {
  std::vector<std::string> known;
  for (const CLI::Option* option : usual.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(variable_of(name));
  }
  std::vector<std::string> doubtful;
  const std::size_t prefix = variable_of("").size();
  for (const auto& [variable, value] : surroundings.variables) {
    if (std::ranges::find(known, variable) != known.end()) continue;
    // Names without their prefix: it is right, and would make every name close.
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const std::string& name : known) names.push_back(name.substr(prefix));
    const std::string close = models::closest_name(variable.substr(prefix), names);
    if (close.empty()) continue;
    doubtful.push_back(variable + ": there is no such option; did you mean " + variable_of(close) +
                       "?");
  }
  return doubtful;
}

std::vector<Setting> that_count(const std::vector<Setting>& of_file,
                                const std::vector<Setting>& of_environment,
                                const CLI::App& command) {
  std::vector<Setting> result;
  const auto add_new = [&](const Setting& setting) {
    const auto is_same = [&](const Setting& each) { return each.option == setting.option; };
    const bool is_its = setting.command == &command;
    if (is_its && std::ranges::none_of(result, is_same)) result.push_back(setting);
  };
  std::ranges::for_each(of_environment, add_new);
  std::ranges::for_each(of_file, add_new);
  return result;
}

std::string with_origins(const std::string& message, const Origins& origins,
                         std::span<const std::string_view> behind) {
  std::string result = message;
  for (const auto& [name, place] : origins) {
    const bool is_behind = std::ranges::find(behind, name) != behind.end();
    if (is_behind || is_named_in(message, name)) result += "; " + name + " is from " + place;
  }
  return result;
}

int run_with_origins(const Origins& origins, const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    const int code = exit_code_of(error);
    const std::string text = text_of(error);
    const std::string more = with_origins(text, origins, options_behind(code));
    if (more == text) throw;
    if (code == static_cast<int>(ExitCode::usage)) throw UsageError(more);
    if (options_behind(code).empty()) throw;
    throw Error(static_cast<ErrorCode>(code), more);
  }
}

}  // namespace wnpu::app
