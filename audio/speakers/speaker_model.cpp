#include "audio/speakers/speaker_model.h"

#include <utility>

#include "audio/speakers/speaker_networks.h"
#include "models/base/folder.h"

namespace wnpu::audio {

SpeakerModel::SpeakerModel(std::unique_ptr<const SpeakerNetworks> networks)
    : networks_(std::move(networks)) {}
SpeakerModel::~SpeakerModel() = default;
SpeakerModel::SpeakerModel(SpeakerModel&&) noexcept = default;

SpeakerModel SpeakerModel::open(const std::filesystem::path& folder) {
  const StateDict segmentation(models::join(folder, kSegmentationFile), "state_dict");
  const StateDict embedding(models::join(folder, kEmbeddingFile), "");
  return SpeakerModel(std::unique_ptr<const SpeakerNetworks>(
      new SpeakerNetworks{SegmentationNet(segmentation), EmbeddingNet(embedding), Fbank()}));
}

}  // namespace wnpu::audio
