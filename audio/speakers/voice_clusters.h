// Voices to speakers. Pure and deterministic.
#pragma once

#include <span>
#include <vector>

#include "audio/speakers/embedding_net.h"
#include "audio/speakers/speaker_turn.h"

namespace wnpu::audio {

// Voice of a piece of speech.
struct Voice {
  EmbeddingNet::Embedding embedding{};
  double seconds = 0;  // of speech that it was computed from
};

// Cosines: chosen on made conversations (bench/results/speakers.md), amid a range that gives the
// same speakers.
struct ClusterRules {
  // Voices are of one cluster while the mean cosine between their clusters is at least this.
  double least_cosine = 0.5;
  // Clusters are of one speaker while the cosine between their mean voices is at least this.
  double least_mean_cosine = 0.7;
  // Shorter voices found no cluster: they join the nearest.
  double least_seconds = 1;
  // Clusters with less speech in all are no speaker, unless `count` demands them.
  double least_total_seconds = 4;
  // Voices that are compared with each other; the rest join the nearest speaker.
  std::size_t most_compared = 2000;
};

// Speaker of each voice, numbered from 0 without gaps. Average linkage: the two clusters whose
// voices have the greatest mean cosine become one, until that is below the least; then those whose
// mean voices are near each other; within the bounds of `count`. Equal input in another order gives
// the same groups.
std::vector<int> cluster_voices(std::span<const Voice> voices, const SpeakerCount& count,
                                const ClusterRules& rules = {});

}  // namespace wnpu::audio
