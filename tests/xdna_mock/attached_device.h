// A device that accepts commands and computes nothing (XRT's noop driver), with the stand-in for
// the array attached to its mapped buffers: every call goes through the device first.
#pragma once

#include <memory>

#include "npu/device.h"

namespace wnpu::tests {

std::unique_ptr<npu::Device> attach(std::unique_ptr<npu::Device> device);

}  // namespace wnpu::tests
