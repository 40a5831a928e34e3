// Silence where a container's times have none of its sound: before sound that begins late, and in
// the place of packets that are lost, so that what is heard is at its time in the film.
#pragma once

#include <memory>
#include <optional>

#include "audio/read/decoder.h"

struct AVFormatContext;

namespace wnpu::audio {

// Limits within which a gap is believed: the times of a damaged file may say anything.
struct GapLimits {
  double start_s = 0;    // before the sound, at most
  double longest_s = 0;  // within it
  double end_s = 0;      // of the container: nothing begins behind it
};

// Limits for this container's gaps; empty if it stores no times, but counts its samples.
std::optional<GapLimits> gap_limits(const AVFormatContext& format);

// The decoder's blocks, and silence in the gaps that their times leave: of more than 0.1 s, as
// ffmpeg's aresample=async=1. No sample is left out, whatever the times say. Warnings tell of both
// gaps and times that are not believed.
std::unique_ptr<Decoder> fill_gaps(std::unique_ptr<Decoder> decoder, const GapLimits& limits);

}  // namespace wnpu::audio
