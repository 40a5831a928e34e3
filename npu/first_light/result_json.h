// First light's result as its JSON document: README.md and first_light.schema.json, beside this.
#pragma once

#include <string>

#include "npu/first_light/result.h"

namespace wnpu::npu {

// Indented, with a newline at the end. `date`: UTC, as ISO 8601 has it.
std::string first_light_json(const FirstLight& result, const std::string& date);

}  // namespace wnpu::npu
