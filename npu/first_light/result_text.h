// First light's result for people.
#pragma once

#include <string>

#include "npu/first_light/result.h"

namespace wnpu::npu {

std::string first_light_text(const FirstLight& result);

}  // namespace wnpu::npu
