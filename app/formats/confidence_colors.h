// Text whose colour says how probable it is, for a terminal of 256 colours.
#pragma once

#include <string>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// The colour of a probability: an index of xterm's 256 colours, from red by yellow to green in ten
// steps. The scale is whisper.cpp's for --print-colors: the probability's cube decides, so that
// what is nearly certain alone is green.
int confidence_color(double probability);

// `text`, which is the segment's as it is printed: stripped or not. Each word has the colour of its
// probability; where the segment has no words, or they are not its text, all of it has that of
// exp(avg_logprob), the geometric mean of its window's tokens. Without the colour codes (ECMA-48
// SGR) it is `text` to the byte, but for control bytes: it is for a terminal (shown_text.h).
std::string with_confidence_colors(const std::string& text, const Segment& segment);

}  // namespace wnpu::app
