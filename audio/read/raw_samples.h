// Samples of headerless PCM as libswresample takes them: of this machine's order, and no narrower
// than 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "audio/read/input.h"

namespace wnpu::audio {

std::uint64_t load_little_endian(std::span<const std::byte> bytes);

// AVSampleFormat of the samples that widen() makes.
int widened_format(SampleFormat format);

// Whole samples of `bytes`, which are all of it, take the place of what is in `out`.
void widen(SampleFormat format, std::span<const std::byte> bytes, std::vector<std::uint8_t>& out);

}  // namespace wnpu::audio
