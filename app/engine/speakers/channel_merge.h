// Transcripts of the channels of one recording, made one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "app/engine/speakers/channel_levels.h"
#include "decoder/text/segment.h"
#include "models/base/stages.h"

namespace wnpu::app {

// Removes words that one channel hears from another: that other has words there, is louder, and
// both get louder and quieter together, which they do not where each has speech of its own.
// Segments without words left are gone. Of each channel its segments in their order, and its
// levels.
void drop_crosstalk(std::span<const ChannelLevels> levels, models::TokenId eot,
                    std::span<std::vector<decoder::Segment>> channels);

struct ChannelSegment {
  std::size_t channel = 0;
  decoder::Segment segment;
};

// All by their starts, of two that start together the lower channel's first. A segment is cut where
// another channel says half a second or more between two of its words.
std::vector<ChannelSegment> merge_channels(std::span<std::vector<decoder::Segment>> channels,
                                           models::TokenId eot);

}  // namespace wnpu::app
