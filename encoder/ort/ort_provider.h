// Providers of ONNX Runtime by short names: which there are, and how a session gets one.
#pragma once

#include <string>
#include <string_view>

#include "encoder/ort/ort_encoder.h"
#include "encoder/ort/ort_library.h"

namespace wnpu::encoder {

// "openvino" of "OpenVINOExecutionProvider".
std::string short_provider_name(std::string_view name);

// The library with its plug-ins. Throws npu::DeviceError.
const OrtLibrary& open_library(const OrtPlaces& places);

// Puts the provider on a session. Throws npu::DeviceError where it is not there, lacks the device
// or refuses an option.
void append_provider(const OrtLibrary& library, const OrtSettings& settings,
                     OrtSessionOptions* session);

// Throws npu::DeviceError where the provider or its device is not there, as far as the runtime
// tells before a session is made.
void check_provider(const OrtLibrary& library, const OrtTarget& target);

}  // namespace wnpu::encoder
