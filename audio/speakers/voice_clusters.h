// Voices to speakers. Pure and deterministic.
#pragma once

#include <span>
#include <vector>

#include "audio/speakers/embedding_net.h"
#include "audio/speakers/speaker_turn.h"

namespace wnpu::audio {

// Voice of a local speaker of a window.
struct Voice {
  EmbeddingNet::Embedding embedding{};
  double seconds = 0;  // of speech that it was computed from
};

struct ClusterRules {
  // Voices are of one speaker while the mean cosine between their clusters is at least this.
  double least_cosine = 0.5;
  // Shorter voices found no speaker: they join the nearest.
  double least_seconds = 2;
  // Speakers with less speech in all do not count, unless `count` demands them.
  double least_total_seconds = 4;
  // Voices that are compared with each other, the longest; the rest join the nearest speaker.
  std::size_t most_compared = 2000;
};

// Speaker of each voice, numbered from 0 without gaps. Average linkage: the two clusters whose
// voices have the greatest mean cosine become one, until that is below the least, within the
// bounds of `count`. Equal input in another order gives the same groups.
std::vector<int> cluster_voices(std::span<const Voice> voices, const SpeakerCount& count,
                                const ClusterRules& rules = {});

}  // namespace wnpu::audio
