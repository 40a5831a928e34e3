// A device that accepts commands and computes nothing (XRT's noop driver), with the stand-in for
// the array attached to its mapped buffers: every call goes through the device first.
#pragma once

#include <filesystem>
#include <memory>

#include "npu/device.h"

namespace wnpu::tests {

// `folder` holds the instruction streams, as write_overlay names them.
std::unique_ptr<npu::Device> attach(std::unique_ptr<npu::Device> device,
                                    const std::filesystem::path& folder);

}  // namespace wnpu::tests
