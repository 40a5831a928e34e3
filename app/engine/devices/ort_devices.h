// ONNX Runtime's providers as the engine's encoders: whole windows.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "app/engine/devices/device_setup.h"
#include "app/engine/devices/encoder_set.h"
#include "encoder/ort/ort_encoder.h"

namespace wnpu::app {

inline constexpr std::array<std::string_view, 2> kOrtWeights{"fp32", "fp16"};

// Throws Error(usage) for one that is not KEY=VALUE.
encoder::OrtProviderOptions ort_provider_options(const OrtOptions& options);

encoder::OrtPlaces ort_places(const OrtOptions& options);

// Backend::open of "ort". Throws npu::DeviceError where the runtime, the provider or its device is
// not there.
std::unique_ptr<EncoderSet> open_ort_device(const DeviceSetup& setup,
                                            std::span<const std::size_t> indexes,
                                            std::size_t n_threads);

}  // namespace wnpu::app
