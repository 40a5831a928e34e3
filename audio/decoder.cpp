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

}  // namespace wnpu::audio
