#include "app/options/subtitle_rules_file.h"

#include <algorithm>
#include <array>
#include <variant>
#include <vector>

#include "app/options/config_file.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "models/base/closest_name.h"

namespace wnpu::app {
namespace {

constexpr std::string_view kPlain = "plain";

struct RulesKey {
  std::string_view name;
  std::variant<std::size_t SubtitleRules::*, double SubtitleRules::*> field;
  double least;
  double most;
};
constexpr std::array kRulesKeys{
    RulesKey{"max-lines", &SubtitleRules::max_lines, 1, 3},
    RulesKey{"max-columns", &SubtitleRules::max_columns, 4, 1000},
    RulesKey{"max-full-width", &SubtitleRules::max_full_width, 2, 500},
    RulesKey{"characters-per-second", &SubtitleRules::characters_per_second, 0, 1000},
    RulesKey{"chinese-per-second", &SubtitleRules::chinese_per_second, 0, 1000},
    RulesKey{"japanese-per-second", &SubtitleRules::japanese_per_second, 0, 1000},
    RulesKey{"korean-per-second", &SubtitleRules::korean_per_second, 0, 1000},
    RulesKey{"seconds-per-word", &SubtitleRules::seconds_per_word, 0, 10},
    RulesKey{"min-duration", &SubtitleRules::min_duration, 0.1, 10},
    RulesKey{"max-duration", &SubtitleRules::max_duration, 0.1, 60},
    RulesKey{"min-gap", &SubtitleRules::min_gap, 0, 1},
    RulesKey{"chain-gap", &SubtitleRules::chain_gap, 0, 10},
    RulesKey{"max-linger", &SubtitleRules::max_linger, 0, 10},
    RulesKey{"max-shift", &SubtitleRules::max_shift, 0, 10},
};

std::vector<std::string> key_names() {
  std::vector<std::string> names{"base"};
  for (const RulesKey& key : kRulesKeys) names.emplace_back(key.name);
  return names;
}

SubtitleRules base_rules(const ConfigNode& file, const std::string& name) {
  for (const auto& [key, node] : file.keys) {
    if (key != "base") continue;
    const auto rules = find_rules(node.text);
    if (rules && node.kind == ConfigNode::Kind::text) return *rules;
    throw UsageError(name + ":" + std::to_string(node.line) +
                     ": base: expected \"netflix\" or \"bbc\", found " + node.text);
  }
  return {};
}

void set_key(const std::string& key, const ConfigNode& node, const std::string& place,
             SubtitleRules& rules) {
  const auto* const known = std::find_if(kRulesKeys.begin(), kRulesKeys.end(),
                                         [&](const RulesKey& each) { return each.name == key; });
  if (known == kRulesKeys.end()) {
    throw UsageError(place + "no such key: " + key + models::suggestion(key, key_names()));
  }
  const bool is_count = std::holds_alternative<std::size_t SubtitleRules::*>(known->field);
  const bool is_integer = node.kind == ConfigNode::Kind::integer;
  const bool is_number = is_integer || (!is_count && node.kind == ConfigNode::Kind::number);
  const auto number = number_of_text(node.text);
  if (!is_number || !number || !(*number >= known->least && *number <= known->most)) {
    throw UsageError(place + key + ": expected a " + (is_count ? "whole " : "") + "number from " +
                     toml_number(known->least) + " to " + toml_number(known->most) + ", found " +
                     (is_number ? node.text : std::string(name_of(node.kind))));
  }
  if (is_count) {
    rules.*std::get<std::size_t SubtitleRules::*>(known->field) = static_cast<std::size_t>(*number);
  } else {
    rules.*std::get<double SubtitleRules::*>(known->field) = *number;
  }
}

SubtitleRules rules_of(const ConfigNode& file, const std::string& name) {
  SubtitleRules rules = base_rules(file, name);
  rules.name = name;
  for (const auto& [key, node] : file.keys) {
    if (key == "base") continue;
    set_key(with_dashes(key), node, name + ":" + std::to_string(node.line) + ": ", rules);
  }
  if (rules.min_duration > rules.max_duration) {
    throw UsageError(name + ": min-duration: expected at most max-duration, found more");
  }
  return rules;
}

}  // namespace

SubtitleRules parse_subtitle_rules(std::string_view text, const std::string& name) {
  return rules_of(parse_config(text, name), name);
}

std::optional<SubtitleRules> read_subtitle_rules(const std::string& name) {
  if (name == kPlain) return std::nullopt;
  if (auto rules = find_rules(name)) return rules;
  if (name.ends_with(".toml")) return rules_of(read_config({name, true}), name);
  throw UsageError("expected plain, netflix, bbc or FILE.toml, found " + name);
}

}  // namespace wnpu::app
