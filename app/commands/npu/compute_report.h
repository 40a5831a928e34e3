// Report on the computation of a result, as a line for people and as JSON.
#pragma once

#include <string>

#include "app/engine/whisper_npu_tensor.hpp"

namespace wnpu::app {

// Device, simulated or not, time, calls, memory and how exact; without a line's end.
std::string report_text(const TensorReport& report);
// Report as a JSON object; fields are in npu/tensor/README.md.
std::string report_json(const TensorReport& report);

}  // namespace wnpu::app
