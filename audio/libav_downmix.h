// Frames as libav decodes them (any sample type, planar or interleaved, any channel layout) to
// mono.
#pragma once

#include <vector>

struct AVFrame;
struct AVChannelLayout;

namespace wnpu::audio {

// One gain a channel, with the sum 1. Where the layout names the speakers: as `ffmpeg -ac 1`, front
// left and right sqrt(1/2), centre 1, surround 1/2, LFE 0, divided by their sum (libswresample
// rematrix.c; printed by `ffmpeg -v debug`). Mono, stereo, and channels without a name or with one
// outside this list: the mean. (ffmpeg guesses a layout for nameless channels and so drops, for
// instance, the third of three microphones.)
std::vector<float> mono_gains(const AVChannelLayout& layout);

// Writes the mono of `frame` to `mono`, full scale 1.0; false for a sample type that is not PCM.
bool downmix(const AVFrame& frame, std::vector<float>& mono);

}  // namespace wnpu::audio
