// Segments in pieces, by their words.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decoder/text/segment.h"
#include "models/base/stages.h"

namespace wnpu::app {

// Whether the text of the segment is that of its words, so that it can be cut.
bool is_of_words(const decoder::Segment& segment);

// Pieces of a segment that is_of_words(), cut in front of the words `cuts`, which grow and are
// above 0: texts and tokens are the segment's, one behind the other. The first begins and the last
// ends with the segment, the others with their words. `eot` is the first token that is no text.
std::vector<decoder::Segment> cut_segment(decoder::Segment segment,
                                          std::span<const std::size_t> cuts, models::TokenId eot);

}  // namespace wnpu::app
