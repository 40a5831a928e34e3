// Reports on operators, as text for people and as JSON for programs. Every number of cycles or
// microseconds names its source.
#pragma once

#include <string>
#include <string_view>

#include "npu/ops/bench.h"
#include "npu/ops/registry.h"
#include "npu/ops/validate.h"

namespace wnpu::npu {

std::string list_text(const OperatorRegistry& registry);
std::string list_json(const OperatorRegistry& registry);

std::string description_text(const Operator& op);
std::string description_json(const Operator& op);

std::string validation_text(const Operator& op, const Validation& validation);
std::string validation_json(const Operator& op, const Validation& validation);

// `preset` names the time model's.
std::string times_text(const Operator& op, const OperatorTimes& times, std::string_view preset);
std::string times_json(const Operator& op, const OperatorTimes& times, std::string_view preset);

}  // namespace wnpu::npu
