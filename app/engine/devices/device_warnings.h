// Warnings in a transcript about devices that failed, or had nothing to do.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// Appends to `warnings`. n_together: windows that could be at work at once.
void warn_of_devices(const DeviceInfo& device, std::size_t n_together,
                     std::vector<std::string>& warnings);

}  // namespace wnpu::app
