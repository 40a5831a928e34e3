#include "tests/support/json_schema.h"

#include <algorithm>
#include <fstream>
#include <regex>

namespace wnpu::tests {
namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

bool has_one_type(const json& value, const json& types) {
  if (types.is_string()) return has_type(value, types.get<std::string>());
  return std::any_of(types.begin(), types.end(),
                     [&value](const json& type) { return has_type(value, type); });
}

std::string below(std::string path, const std::string& name) {
  return path.append("/").append(name);
}

void add_enums(const json& schema, const std::string& path, std::map<std::string, json>& found) {
  if (!schema.is_structured()) return;
  if (schema.is_object() && schema.contains("enum")) found.emplace(path, schema["enum"]);
  for (const auto& [name, member] : schema.items()) {
    const bool is_keyword = name == "properties" || name == "items" || name == "$defs";
    add_enums(member, is_keyword || path.empty() ? (is_keyword ? path : name) : below(path, name),
              found);
  }
}

class Checker {
 public:
  explicit Checker(const json& root) : root_(root) {}

  std::string check(const json& schema, const json& value, const std::string& path) const {
    for (const auto& [keyword, rule] : schema.items()) {
      std::string fault = check_keyword(schema, keyword, value, path);
      if (!fault.empty()) return fault;
    }
    return "";
  }

 private:
  std::string check_keyword(const json& schema, const std::string& keyword, const json& value,
                            const std::string& path) const {
    const json& rule = schema.at(keyword);
    const auto expect = [&](bool holds) {
      return holds ? "" : path + ": expected " + keyword + " " + rule.dump();
    };
    if (keyword == "type") return expect(has_one_type(value, rule));
    if (keyword == "const") return expect(value == rule);
    if (keyword == "enum") return expect(std::find(rule.begin(), rule.end(), value) != rule.end());
    if (keyword == "minimum") return expect(!value.is_number() || value >= rule);
    if (keyword == "exclusiveMinimum") return expect(!value.is_number() || value > rule);
    if (keyword == "minItems") return expect(!value.is_array() || value.size() >= rule);
    if (keyword == "pattern") return expect(!value.is_string() || matches(value, rule));
    if (keyword == "required" && value.is_object()) {
      return expect(std::all_of(rule.begin(), rule.end(), [&value](const json& name) {
        return value.contains(name.get<std::string>());
      }));
    }
    if (keyword == "oneOf") return expect(count_of(rule, value, path) == 1);
    if (keyword == "items") return check_items(rule, value, path);
    if (keyword == "properties") return check_properties(rule, value, path);
    if (keyword == "additionalProperties") return check_additional(schema, value, path);
    if (keyword == "$ref") return check(resolve(rule), value, path);
    const bool is_note = keyword == "required" || keyword == "$schema" || keyword == "$defs" ||
                         keyword == "title" || keyword == "description";
    return is_note ? "" : path + ": the schema has a keyword that is not known: " + keyword;
  }

  static bool matches(const json& value, const json& rule) {
    return std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
  }

  std::ptrdiff_t count_of(const json& schemas, const json& value, const std::string& path) const {
    return std::ranges::count_if(
        schemas, [&](const json& schema) { return check(schema, value, path).empty(); });
  }

  std::string check_items(const json& rule, const json& value, const std::string& path) const {
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string fault = check(rule, value[i], below(path, std::to_string(i)));
      if (!fault.empty()) return fault;
    }
    return "";
  }

  std::string check_properties(const json& rule, const json& value, const std::string& path) const {
    for (const auto& [name, schema] : rule.items()) {
      std::string fault =
          value.contains(name) ? check(schema, value.at(name), below(path, name)) : "";
      if (!fault.empty()) return fault;
    }
    return "";
  }

  std::string check_additional(const json& schema, const json& value,
                               const std::string& path) const {
    const json& rule = schema.at("additionalProperties");
    for (const auto& [name, member] : value.items()) {
      if (schema.contains("properties") && schema["properties"].contains(name)) continue;
      if (rule == false) return std::string(path).append(": " + name + " is not in the schema");
      std::string fault = check(rule, member, below(path, name));
      if (!fault.empty()) return fault;
    }
    return "";
  }

  const json& resolve(const json& reference) const {
    return root_.at(json::json_pointer(reference.get<std::string>().substr(1)));
  }

  const json& root_;
};

}  // namespace

std::map<std::string, nlohmann::json> enums_of(const nlohmann::json& schema) {
  std::map<std::string, nlohmann::json> found;
  add_enums(schema, "", found);
  return found;
}

nlohmann::json enum_of(std::span<const std::string_view> names, bool with_null) {
  nlohmann::json list = names;
  if (with_null) list.push_back(nullptr);
  return list;
}

json schema_of(const std::string& path) {
  std::ifstream file(WNPU_SOURCE_DIR "/" + path);
  return json::parse(file);
}

std::string schema_fault(const json& schema, const json& value) {
  return Checker(schema).check(schema, value, "");
}

}  // namespace wnpu::tests
