// First light's result for people.
#pragma once

#include <cstdint>
#include <string>

#include "npu/first_light/result.h"

namespace wnpu::npu {

std::string bits_text(std::uint16_t bits);  // "0x3f80"
std::string first_light_text(const FirstLight& result);

}  // namespace wnpu::npu
