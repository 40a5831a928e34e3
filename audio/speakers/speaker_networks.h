// Networks of a SpeakerModel.
#pragma once

#include "audio/speakers/embedding_net.h"
#include "audio/speakers/fbank.h"
#include "audio/speakers/segmentation_net.h"

namespace wnpu::audio {

struct SpeakerNetworks {
  SegmentationNet segmentation;
  EmbeddingNet embedding;
  Fbank fbank;
};

}  // namespace wnpu::audio
