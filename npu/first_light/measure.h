// The microbenchmarks' calls on a device, and what follows from their times.
#pragma once

#include <optional>

#include "npu/device.h"
#include "npu/first_light/measured_table.h"
#include "npu/first_light/result.h"

namespace wnpu::npu {

// Adds to result.times and result.measured, and the clock where it is not known. The table is there
// where clock, launch and DDR came out. Throws what the device throws.
std::optional<MeasuredTable> measure(Device& device, const FirstLightOptions& options,
                                     FirstLight& result);

}  // namespace wnpu::npu
