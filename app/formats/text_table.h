// Tables and reports for people.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace wnpu::app {

using TextRow = std::vector<std::string>;

// Columns as wide as their widest entry and two spaces between them; a row's last entry as it is.
// At least one row, none with more entries than the first.
std::string text_table(const std::vector<TextRow>& rows);

// A number as printf's format has it: decimal("%.1f s", 2) is "2.0 s".
std::string decimal(const char* format, double value);

// A report from the JSON that programs read, an object: one list of fields, two printers. A line a
// field, "runs on  core": "_" in names becomes a space, null "-", a list "a, b". A list of objects
// becomes a table below the field's name, whose columns are the fields of all of them, "cost
// cycles" for a field of a field.
std::string report_text(const nlohmann::ordered_json& report);

}  // namespace wnpu::app
