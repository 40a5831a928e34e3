// NPUs and simulated ones as the engine's encoders: whole windows each, or a model divided.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/engine/devices/device_setup.h"
#include "app/engine/devices/encoder_set.h"
#include "encoder/npu/npu_array.h"

namespace wnpu::app {

// Arrays, one at least, as the options of `setup` divide the work among them; `chosen` is an
// operator in the place of one of theirs. Throws npu::DeviceError for arrays of different kinds:
// a window's bits would depend on which takes it.
std::unique_ptr<EncoderSet> npu_devices(std::vector<encoder::NpuArray> arrays,
                                        const DeviceSetup& setup,
                                        const std::optional<ChosenOperator>& chosen = std::nullopt);

// Backend::open of "npu" and of "sim".
std::unique_ptr<EncoderSet> open_npus(const DeviceSetup& setup,
                                      std::span<const std::size_t> indexes, std::size_t n_threads);
std::unique_ptr<EncoderSet> open_simulators(const DeviceSetup& setup,
                                            std::span<const std::size_t> indexes,
                                            std::size_t n_threads);

}  // namespace wnpu::app
