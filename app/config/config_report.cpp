#include "app/config/config_report.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include <nlohmann/json.hpp>

#include "app/cli/option_values.h"

namespace wnpu::app {
namespace {

// An option as it counts.
struct ConfigRow {
  std::string command;  // "npu tune"
  const CLI::Option* option;
  std::optional<Setting> setting;   // none: its default
  std::vector<std::string> values;  // none: no value
};

// "npu tune" of a command below the program.
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
      rows.push_back({usual, option, *setting, setting->values});
    }
  }
  for (const Setting& setting : report.of_file) {
    if (setting.command == report.usual) continue;
    rows.push_back({words_to(*setting.command), setting.option, setting, setting.values});
  }
  const auto is_before = [&](const ConfigRow& a, const ConfigRow& b) {
    return b.command != usual && (a.command == usual || a.command < b.command);
  };
  std::stable_sort(rows.begin(), rows.end(), is_before);
  return rows;
}

bool is_toml_number(const std::string& text) {
  try {
    const ConfigNode node = parse_config("x = " + text + "\n", "");
    if (node.keys.size() != 1) return false;
    const auto kind = node.keys.front().second.kind;
    return kind == ConfigNode::Kind::integer || kind == ConfigNode::Kind::number;
  } catch (const std::exception&) {
    return false;
  }
}

std::string toml_value(const CLI::Option& option, const std::string& text) {
  const std::string type = option.get_type_name();
  if (!takes_value(option) || type.find("True|False") != std::string::npos) {
    std::string lower = CLI::detail::to_lower(text);
    if (lower == "true" || lower == "false") return lower;
  }
  const bool is_number = type == "N" || type == "N|None" || type.starts_with("NUMBER");
  return is_number && is_toml_number(text) ? text : toml_string(text);
}

std::string toml_line(const ConfigRow& row) {
  const std::string name = long_name(*row.option).substr(2);
  if (row.values.empty()) return "# " + name + " has no value";
  std::string text = (row.setting ? "" : "# ") + name + " = ";
  if (row.values.size() == 1) return text + toml_value(*row.option, row.values.front());
  for (const std::string& value : row.values) {
    text += (&value == &row.values.front() ? "[" : ", ") + toml_value(*row.option, value);
  }
  return text + "]";
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

}  // namespace

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

}  // namespace wnpu::app
