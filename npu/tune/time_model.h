// Which simulator a time is of.
#pragma once

#include <string_view>

namespace wnpu::npu {

// Of the sources of Designs, control programs and simulator: written when the program is built.
std::string_view time_model_digest();

}  // namespace wnpu::npu
