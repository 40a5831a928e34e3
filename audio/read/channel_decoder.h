// One channel of what a decoder gives.
#pragma once

#include <cstddef>
#include <memory>

#include "audio/read/decoder.h"

namespace wnpu::audio {

// Decoder of blocks with one channel, counted from 0, of `all`, whose info() it keeps. A block that
// lacks the channel, in a stream that changes, is silence.
std::unique_ptr<Decoder> channel_of(std::unique_ptr<Decoder> all, std::size_t channel);

}  // namespace wnpu::audio
