#include "app/formats/subtitle_rules/rules.h"

#include <algorithm>

#include "models/base/utf8.h"
#include "models/text/clusters.h"

namespace wnpu::app {

std::optional<SubtitleRules> find_rules(std::string_view name) {
  SubtitleRules rules;
  if (name == "netflix") return rules;
  if (name != "bbc") return std::nullopt;
  rules.name = "bbc";
  rules.max_columns = 37;
  rules.characters_per_second = 0;
  rules.seconds_per_word = 0.3;
  rules.min_gap = 0;
  rules.chain_gap = 1;
  rules.max_linger = 1.5;
  return rules;
}

TextSize& TextSize::operator+=(const TextSize& other) {
  columns += other.columns;
  characters += other.characters;
  words += other.words;
  han += other.han;
  kana += other.kana;
  hangul += other.hangul;
  right_to_left += other.right_to_left;
  blanks += other.blanks;
  return *this;
}

TextSize text_size(std::string_view text) {
  TextSize size;
  bool is_in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const models::Cluster cluster = models::cluster_at(text, at);
    at += cluster.text.size();
    const bool is_blank = models::leading_space(cluster.text) == cluster.text.size();
    if (!is_blank && !is_in_word && cluster.columns > 0) ++size.words;
    if (is_blank || cluster.columns > 0) is_in_word = !is_blank;
    size.columns += cluster.columns;
    size.characters += cluster.columns > 0 ? 1U : 0U;
    size.blanks += is_blank && cluster.columns > 0 ? 1U : 0U;
    size.han += cluster.writing == models::Writing::han ? 1U : 0U;
    size.kana += cluster.writing == models::Writing::kana ? 1U : 0U;
    size.hangul += cluster.writing == models::Writing::hangul ? 1U : 0U;
    size.right_to_left += cluster.writing == models::Writing::right_to_left ? 1U : 0U;
  }
  return size;
}

std::size_t line_columns(const TextSize& size, const SubtitleRules& rules) {
  return size.is_full_width() ? 2 * rules.max_full_width : rules.max_columns;
}

double speed_limit(const TextSize& size, const SubtitleRules& rules) {
  if (!size.is_full_width()) return rules.characters_per_second;
  if (size.hangul > size.han + size.kana) return rules.korean_per_second;
  return size.kana > 0 ? rules.japanese_per_second : rules.chinese_per_second;
}

double read_characters(const TextSize& size) {
  return size.is_full_width() ? static_cast<double>(size.columns) / 2
                              : static_cast<double>(size.characters);
}

double seconds_wanted(const TextSize& size, const SubtitleRules& rules) {
  const double speed = speed_limit(size, rules);
  double wanted = speed > 0 ? read_characters(size) / speed : 0;
  if (!size.is_full_width()) {
    wanted = std::max(wanted, rules.seconds_per_word * static_cast<double>(size.words));
  }
  return std::max(wanted, rules.min_duration);
}

}  // namespace wnpu::app
