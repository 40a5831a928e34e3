// First light: the calls of a layer on a device, from the least to the whole, each compared with
// the simulator's bits; then what they cost. Written before any silicon was at hand, and run on
// none: it was tried on the simulator and on stand-ins for the driver.
#pragma once

#include "npu/device.h"
#include "npu/first_light/result.h"

namespace wnpu::npu {

// The steps in order. One that fails ends the run, unless it keeps going: then every call begins
// with the simulator's bits, so that a difference is that call's own. What the device throws is a
// failed step. Throws std::invalid_argument for a shape that no call can have.
FirstLight run_first_light(Device& device, const FirstLightOptions& options);

}  // namespace wnpu::npu
