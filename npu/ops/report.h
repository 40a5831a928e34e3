// Reports on operators, as JSON objects. Every number of cycles names its source.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "npu/ops/registry.h"
#include "npu/ops/validate.h"

namespace wnpu::npu {

nlohmann::ordered_json list_of(const OperatorRegistry& registry);
nlohmann::ordered_json description_of(const Operator& op);
nlohmann::ordered_json validation_of(const Operator& op, const Validation& validation);

}  // namespace wnpu::npu
