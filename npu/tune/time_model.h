// Which simulator a time is of.
#pragma once

#include <string_view>

namespace wnpu::npu {

// Digest of the sources of Designs, control programs and simulator, computed at build time.
std::string_view time_model_digest();

}  // namespace wnpu::npu
