// The rest: audio at the end of a clip of speech that comes after the last timestamp of its last
// window. No window follows that would begin with it.
#pragma once

#include <cstddef>

#include "decoder/text/segments.h"

namespace wnpu::decoder {

// Speech that is cut out of a recording ends in padding: a rest shorter than this holds none.
inline constexpr std::size_t kShortestRestFrames = 50;
// Shortest rest where the text was made to go on to the end of the speech
// (DecodeOptions::speech_end): longer by what the last timestamp may be early by.
inline constexpr std::size_t kShortestForcedRestFrames = 100;

// At the end of a clip of speech: a rest below 5 s is decoded again together with the segment
// before it, since a few words alone are seldom understood. Not one below `shortest` frames, which
// holds none.
void join_short_rest(SplitWindow& split, const Window& window, std::size_t shortest);

// A window of a clip that is alone, frames up to clip_end: no segment goes on behind its end, and
// where this is its last window, whose result is true, its rest is joined.
bool fit_into_clip(SplitWindow& split, const Window& window, std::size_t clip_end,
                   std::size_t shortest);

}  // namespace wnpu::decoder
