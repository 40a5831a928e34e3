#include "app/cli/config_command.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/options/exit_code.h"
#include "app/options/option_values.h"

namespace wnpu::app {
namespace {

struct ConfigReport {
  ConfigPlace place;
  const CLI::App* usual = nullptr;
  std::vector<Setting> of_file;
  std::vector<Setting> of_environment;
};

// An option as it counts.
struct ConfigRow {
  std::string command;  // "npu predict"
  const CLI::Option* option;
  std::optional<Setting> setting;   // none: its default
  std::vector<std::string> values;  // none: no value
};

// "npu predict" of a command below the program.
std::string words_to(const CLI::App& command) {
  const CLI::App* const above = command.get_parent();
  if (above == nullptr || above->get_parent() == nullptr) return command.get_name();
  return words_to(*above) + " " + command.get_name();
}

std::vector<std::string> default_of(const CLI::Option& option) {
  if (!takes_value(option)) return {"False"};
  const std::string text = option.get_default_str();
  return text.empty() ? std::vector<std::string>{} : std::vector<std::string>{text};
}

std::vector<std::string> forms_of(const Setting& setting) {
  std::vector<std::string> values;
  for (const std::string& value : setting.values) {
    values.push_back(usual_form(*setting.option, value));
  }
  return values;
}

std::vector<ConfigRow> rows_of(const ConfigReport& report) {
  std::vector<ConfigRow> rows;
  const std::string usual = words_to(*report.usual);
  const std::vector<Setting> counted =
      that_count(report.of_file, report.of_environment, *report.usual);
  for (const CLI::Option* option : report.usual->get_options()) {
    if (!is_setting(*option)) continue;
    const auto is_its = [&](const Setting& each) { return each.option == option; };
    const auto setting = std::ranges::find_if(counted, is_its);
    if (setting == counted.end()) {
      rows.push_back({usual, option, std::nullopt, default_of(*option)});
    } else {
      rows.push_back({usual, option, *setting, forms_of(*setting)});
    }
  }
  for (const Setting& setting : report.of_file) {
    if (setting.command == report.usual) continue;
    rows.push_back({words_to(*setting.command), setting.option, setting, forms_of(setting)});
  }
  const auto is_before = [&](const ConfigRow& a, const ConfigRow& b) {
    return b.command != usual && (a.command == usual || a.command < b.command);
  };
  std::stable_sort(rows.begin(), rows.end(), is_before);
  return rows;
}

// Value that this text behind "=" has in a file; empty: it is no TOML.
std::optional<ConfigNode> read_value(const std::string& text) {
  try {
    const ConfigNode node = parse_config("x = " + text + "\n", "");
    if (node.keys.size() == 1) return node.keys.front().second;
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

std::string toml_value(const CLI::Option& option, const std::string& text) {
  const OptionKind kind = kind_of(option);
  if (kind == OptionKind::boolean && (text == "True" || text == "False")) {
    return CLI::detail::to_lower(text);
  }
  const bool is_number = kind == OptionKind::integer || kind == OptionKind::number;
  if (!is_number) return toml_string(text);
  const auto read = read_value(text);
  const bool is_tomls =
      read && read->text == text &&
      (read->kind == ConfigNode::Kind::integer || read->kind == ConfigNode::Kind::number);
  return is_tomls ? text : toml_string(text);
}

std::string toml_values(const ConfigRow& row) {
  if (row.values.size() == 1) return toml_value(*row.option, row.values.front());
  std::string text;
  for (const std::string& value : row.values) {
    text += (&value == &row.values.front() ? "[" : ", ") + toml_value(*row.option, value);
  }
  return text + "]";
}

// A file is UTF-8, and a variable any bytes.
bool can_be_written(const std::vector<std::string>& values, const std::string& text) {
  const auto read = read_value(text);
  if (!read) return false;
  const auto is_same = [](const std::string& value, const ConfigNode& node) {
    return value == node.text;
  };
  if (read->kind != ConfigNode::Kind::list) return is_same(values.front(), *read);
  return std::ranges::equal(values, read->items, is_same);
}

std::string toml_line(const ConfigRow& row) {
  const std::string name = long_name(*row.option).substr(2);
  if (row.values.empty()) return "# " + name + " has no value";
  const std::string text = toml_values(row);
  if (!row.setting) return "# " + name + " = " + text;
  if (!can_be_written(row.values, text)) return "# " + name + " has a value that is no UTF-8";
  return name + " = " + text;
}

// Behind a line. A comment has to end with it.
std::string origin_comment(const ConfigRow& row) {
  std::string place = row.setting ? row.setting->place() : "default";
  std::ranges::replace_if(
      place, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return (row.values.empty() ? ": " : "  # ") + place;
}

std::string table_line(std::string command) {
  std::ranges::replace(command, ' ', '.');
  return "\n[" + command + "]\n";
}

// The options of `usual` with their values, as a configuration file that gives them: defaults, and
// those without a value, as comments; then what the file says of other commands. `with_origin`: a
// comment behind each says where it comes from.
std::string config_text(const ConfigReport& report, bool with_origin) {
  std::string text;
  std::string command;
  for (const ConfigRow& row : rows_of(report)) {
    if (row.command != command && !command.empty()) text += table_line(row.command);
    command = row.command;
    text += toml_line(row);
    if (with_origin) text += origin_comment(row);
    text += "\n";
  }
  return text;
}

// Report as JSON (config.schema.json), always with the origins; ends with a newline.
std::string config_json(const ConfigReport& report) {
  using Json = nlohmann::ordered_json;
  Json options = Json::array();
  for (const ConfigRow& row : rows_of(report)) {
    Json each = {{"command", row.command}, {"option", long_name(*row.option).substr(2)}};
    each["values"] = row.values;
    each["origin"] = "default";
    if (row.setting && row.setting->origin == Setting::Origin::environment) {
      each["origin"] = "environment";
      each["variable"] = row.setting->variable;
    } else if (row.setting) {
      each["origin"] = "file";
      each["line"] = row.setting->line;
    }
    options.push_back(std::move(each));
  }
  std::error_code error;
  const std::string file = report.place.file.string();
  const bool is_there = !file.empty() && std::filesystem::exists(report.place.file, error);
  Json all = {{"schema_version", 1}, {"file", nullptr}, {"file_is_there", is_there}};
  if (!file.empty()) all["file"] = file;
  all["options"] = std::move(options);
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void add_config_command(CLI::App& program, ConfigRequest& request) {
  CLI::App* const config =
      program.add_subcommand("config", "Options from the environment and the configuration file");
  CLI::App* const show = config->add_subcommand(
      "show", "Values of transcribe's options, as a configuration file that gives them");
  show->add_flag("--origin", request.with_origin,
                 "Where each comes from: default, a variable, the file and its line");
  show->add_flag("--json", request.as_json,
                 "JSON on stdout instead of TOML, with the origins, "
                 "by config.schema.json (in share/whisper-npu/schemas)");
  config->add_subcommand("path", "The configuration file that is read where it is there");
  for (CLI::App* action : config->get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : action->get_options()) option->configurable(false);
    add_config_option(*action);
  }
}

void add_config_option(CLI::App& command) {
  add_group(command, "Configuration", [&] {
    command
        .add_option(kConfigOption,
                    "Configuration file; nothing after = means none; "
                    "WHISPER_NPU_CONFIG's if not given")
        ->type_name("FILE")
        ->configurable(false);
  });
}

std::string config_output(const CLI::App& program, const CLI::App& usual,
                          const ConfigRequest& request, const ConfigPlace& place,
                          const ConfigSources& surroundings) {
  const CLI::App& config = *program.get_subcommand("config");
  if (config.get_subcommands().empty()) {
    throw UsageError("config: expected show or path (see --help)");
  }
  if (config.got_subcommand("path")) {
    return place.file.empty() ? "" : place.file.string() + "\n";
  }
  const std::string file = place.file.string();
  const ConfigReport report = {
      .place = place,
      .usual = &usual,
      .of_file = settings_of(read_config(place), file, program, usual),
      .of_environment = settings_of(surroundings, usual),
  };
  return request.as_json ? config_json(report) : config_text(report, request.with_origin);
}

}  // namespace wnpu::app
