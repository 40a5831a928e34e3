// What was done for a result, as a line for people and as JSON.
#pragma once

#include <string>

#include "app/engine/whisper_npu_tensor.hpp"

namespace wnpu::app {

// Device, simulated or not, time, calls, memory and how exact; without a line's end.
std::string report_text(const TensorReport& report);
// The same by name; fields are in npu/tensor/README.md.
std::string report_json(const TensorReport& report);

}  // namespace wnpu::app
