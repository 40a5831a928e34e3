// Networks that tell speakers apart, as they are read from a folder.
#pragma once

#include <filesystem>
#include <memory>

namespace wnpu::audio {

// Files of the folder, as torch.save wrote them: pyannote segmentation-3.0 and CAM++
// (speech_campplus_sv_zh_en_16k-common_advanced).
inline constexpr const char* kSegmentationFile = "pyannote_segmentation.bin";
inline constexpr const char* kEmbeddingFile = "campplus.pt";

struct SpeakerNetworks;  // audio/speakers/speaker_networks.h

class SpeakerModel {
 public:
  // Networks of `folder`. Throws models::ModelError if a file is missing or is not what it says.
  static SpeakerModel open(const std::filesystem::path& folder);
  ~SpeakerModel();
  SpeakerModel(SpeakerModel&&) noexcept;

  [[nodiscard]] const SpeakerNetworks& networks() const { return *networks_; }

 private:
  explicit SpeakerModel(std::unique_ptr<const SpeakerNetworks> networks);
  std::unique_ptr<const SpeakerNetworks> networks_;
};

}  // namespace wnpu::audio
