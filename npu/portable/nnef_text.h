// The layer in NNEF's flat syntax, with the same names of extents as linalg_text.h.
#pragma once

#include <string_view>

namespace wnpu::npu {

// $VARIABLES: a line for each argument but the states.
extern const std::string_view kNnefLayer;
extern const std::string_view kNnefReadme;

}  // namespace wnpu::npu
