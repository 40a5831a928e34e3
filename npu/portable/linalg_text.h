// The layer in MLIR, with names of extents in place of numbers: $M frames, $W width, $F hidden,
// $H heads, $D width of a head, $N the width as a real, $S the scale of attention.
#pragma once

#include <string_view>

namespace wnpu::npu {

extern const std::string_view kLinalgLayer;
// $ARGUMENTS: the lines that make and read them; $NAMES, $TYPES: lists of them.
extern const std::string_view kLinalgMain;
extern const std::string_view kLinalgValues;  // C
extern const std::string_view kLinalgScript;
extern const std::string_view kLinalgReadme;

}  // namespace wnpu::npu
