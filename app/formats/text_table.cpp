#include "app/formats/text_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/formats/shown_text.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kGapColumns = 2;

using Json = nlohmann::ordered_json;
using Fields = std::vector<std::pair<std::string, std::string>>;

std::string scalar_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump();
  return decimal("%.4g", value.get<double>());
}

std::string list_text(const Json& list) {
  std::string text;
  for (const Json& each : list) text += (text.empty() ? "" : ", ") + scalar_text(each);
  return text;
}

bool is_table(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [](const Json& each) { return each.is_object(); });
}

// Adds the value, or all fields of an object, under their names.
void add_fields(const std::string& name, const Json& value, Fields& fields) {
  if (!value.is_object()) {
    fields.emplace_back(name, value.is_array() ? list_text(value) : scalar_text(value));
    return;
  }
  for (const auto& [key, part] : value.items()) {
    std::string word = key;
    std::ranges::replace(word, '_', ' ');
    add_fields(name.empty() ? word : name + " " + word, part, fields);
  }
}

std::string table_of(const Json& list) {
  std::vector<Fields> rows;
  TextRow names;
  for (const Json& each : list) {
    add_fields("", each, rows.emplace_back());
    for (const auto& [name, text] : rows.back()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  std::vector<TextRow> cells{names};
  for (const Fields& row : rows) {
    TextRow& texts = cells.emplace_back();
    for (const std::string& name : names) {
      const auto found = std::ranges::find(row, name, &Fields::value_type::first);
      texts.push_back(found == row.end() ? "-" : found->second);
    }
  }
  return text_table(cells);
}

std::string indented(const std::string& lines) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at) + 1;
    text += "  " + lines.substr(at, end - at);
    at = end;
  }
  return text;
}

}  // namespace

std::string text_table(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  std::vector<TextRow> shown = rows;
  for (TextRow& row : shown) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string text;
  for (const TextRow& row : shown) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - width_of(row[i]) + kGapColumns, ' ');
    }
    text += '\n';
  }
  return text;
}

std::string decimal(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string report_text(const Json& report) {
  std::vector<TextRow> lines;
  std::string tables;
  for (const auto& [key, value] : report.items()) {
    if (is_table(value)) {
      tables += key + ":\n" + indented(table_of(value));
      continue;
    }
    Fields fields;
    add_fields("", Json{{key, value}}, fields);
    for (auto& [name, text] : fields) lines.push_back({name, std::move(text)});
  }
  return (lines.empty() ? "" : text_table(lines)) + tables;
}

}  // namespace wnpu::app
