// Audio that comes while it is heard, and may have no end: raw PCM, or a WAV or RF64, whose header
// says what follows. Nothing is read twice, and nothing is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "audio/read/input.h"
#include "audio/read/pcm_reader.h"

namespace wnpu::audio {

// Instead of bytes: there will be no more because nobody wants to hear them; what lacks is no
// fault.
inline constexpr std::size_t kStopped = std::numeric_limits<std::size_t>::max();

// Waits for bytes and gives some, at least one; 0 is the end.
using ByteSource = std::function<std::size_t(std::span<std::byte>)>;

// Reader that gives the samples of a file with these bytes, each as soon as it can be known.
// Without a format the bytes begin with a WAV header, which is read here. Throws AudioError where
// they do not; other containers have to be decoded before.
std::unique_ptr<PcmReader> open_pcm_stream(ByteSource source,
                                           const std::optional<RawFormat>& format,
                                           const std::string& name);

}  // namespace wnpu::audio
