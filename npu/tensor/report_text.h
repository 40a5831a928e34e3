// What was done for a result, as a line for people and as JSON.
#pragma once

#include <string>

#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

// Device, simulated or not, time, calls, memory and how exact; without a line's end.
std::string report_text(const Report& report);
// The same by name; fields are in README.md.
std::string report_json(const Report& report);

}  // namespace wnpu::npu::ops
