#include "audio/decoder.h"

#include "audio/error.h"

namespace wnpu::audio {

void check_info(const PcmInfo& info, const std::string& name) {
  if (info.channels < 1 || info.channels > kMaxChannels) {
    throw AudioError(name + ": " + info.format + " header: expected 1 to " +
                     std::to_string(kMaxChannels) + " channels, found " +
                     std::to_string(info.channels));
  }
  if (info.sample_rate < kMinSampleRate || info.sample_rate > kMaxSampleRate) {
    throw AudioError(name + ": " + info.format + " header: expected a sample rate of " +
                     std::to_string(kMinSampleRate) + " to " + std::to_string(kMaxSampleRate) +
                     " Hz, found " + std::to_string(info.sample_rate));
  }
}

void average_channels(std::span<const float> interleaved, std::span<float> mono) {
  if (mono.empty()) return;
  const std::size_t channels = interleaved.size() / mono.size();
  const float gain = 1.0F / static_cast<float>(channels);
  for (std::size_t i = 0; i < mono.size(); ++i) {
    float sum = 0;
    for (std::size_t c = 0; c < channels; ++c) sum += interleaved[i * channels + c];
    mono[i] = sum * gain;
  }
}

}  // namespace wnpu::audio
