// The part of JSON Schema (draft 2020-12) that this project's schemas use. A keyword that is not
// known here is an error, so that no rule of a schema goes unchecked.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace wnpu::tests {

// Empty where `value` is valid; else the first fault: "/segments/0/id: expected type integer".
std::string schema_fault(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace wnpu::tests
