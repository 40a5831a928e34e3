#include "audio/read/channel_decoder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

extern "C" {
#include <libavutil/samplefmt.h>
}

namespace wnpu::audio {
namespace {

struct SampleLayout {
  std::size_t bytes = 0;
  bool is_planar = false;
  std::uint8_t silence = 0;
};

// Arithmetic on FFmpeg's formats, whose library may not be there.
SampleLayout layout_of(int sample_format) {
  switch (sample_format) {
    case AV_SAMPLE_FMT_U8:
      return {1, false, 0x80};
    case AV_SAMPLE_FMT_U8P:
      return {1, true, 0x80};
    case AV_SAMPLE_FMT_S16:
      return {2, false};
    case AV_SAMPLE_FMT_S16P:
      return {2, true};
    case AV_SAMPLE_FMT_S32:
    case AV_SAMPLE_FMT_FLT:
      return {4, false};
    case AV_SAMPLE_FMT_S32P:
    case AV_SAMPLE_FMT_FLTP:
      return {4, true};
    case AV_SAMPLE_FMT_S64P:
    case AV_SAMPLE_FMT_DBLP:
      return {8, true};
    default:  // AV_SAMPLE_FMT_S64, AV_SAMPLE_FMT_DBL
      return {8, false};
  }
}

class ChannelDecoder : public Decoder {
 public:
  ChannelDecoder(std::unique_ptr<Decoder> all, std::size_t channel)
      : all_(std::move(all)), channel_(channel) {}

  const PcmInfo& info() const override { return all_->info(); }
  const std::vector<std::string>& warnings() const override { return all_->warnings(); }

  PcmBlock next() override {
    PcmBlock block = all_->next();
    if (block.n_frames == 0) return block;
    const auto channels = static_cast<std::size_t>(block.layout.channels);
    const SampleLayout sample = layout_of(block.layout.sample_format);
    if (channel_ >= channels) {
      samples_.assign(block.n_frames * sample.bytes, sample.silence);
      plane_[0] = samples_.data();
    } else if (sample.is_planar || channels == 1) {
      plane_[0] = block.planes[channel_];
    } else {
      take(block, channels, sample.bytes);
    }
    block.planes = plane_.data();
    block.layout.channels = 1;
    block.layout.speakers = 0;
    return block;
  }

 private:
  void take(const PcmBlock& block, std::size_t channels, std::size_t bytes) {
    samples_.resize(block.n_frames * bytes);
    const std::uint8_t* from = block.planes[0] + channel_ * bytes;
    for (std::size_t i = 0; i < block.n_frames; ++i, from += channels * bytes)
      std::copy_n(from, bytes, samples_.data() + i * bytes);
    plane_[0] = samples_.data();
  }

  std::unique_ptr<Decoder> all_;
  std::size_t channel_;
  std::vector<std::uint8_t> samples_;
  std::array<const std::uint8_t*, 1> plane_{};
};

}  // namespace

std::unique_ptr<Decoder> channel_of(std::unique_ptr<Decoder> all, std::size_t channel) {
  return std::make_unique<ChannelDecoder>(std::move(all), channel);
}

}  // namespace wnpu::audio
