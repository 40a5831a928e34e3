// The decoder's segment, as the engine's caller has it.
#pragma once

#include "app/engine/whisper_npu.hpp"
#include "decoder/text/segment.h"

namespace wnpu::app {

Segment public_segment(decoder::Segment&& segment);

}  // namespace wnpu::app
