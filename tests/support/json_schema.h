// The part of JSON Schema (draft 2020-12) that this project's schemas use. A keyword that is not
// known here is an error, so that no rule of a schema goes unchecked.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace wnpu::tests {

// A file of this project: "app/formats/log.schema.json". Throws where there is none.
nlohmann::json schema_of(const std::string& path);

// Empty where `value` is valid; else the first fault: "/segments/0/id: expected type integer".
std::string schema_fault(const nlohmann::json& schema, const nlohmann::json& value);
inline std::string schema_fault(const char* path, const nlohmann::json& value) {
  return schema_fault(schema_of(path), value);
}

// Every "enum" in `schema`, by the names of the properties above it: "device/npu/plan".
std::map<std::string, nlohmann::json> enums_of(const nlohmann::json& schema);

// Schema of an enum of exactly these names; with_null: it may be null as well.
nlohmann::json enum_of(std::span<const std::string_view> names, bool with_null = false);

}  // namespace wnpu::tests
