#include "audio/libav_downmix.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <type_traits>

#include "audio/libav_library.h"

namespace wnpu::audio {
namespace {

std::optional<double> speaker_gain(AVChannel channel) {
  switch (channel) {
    case AV_CHAN_FRONT_CENTER:
      return 1.0;
    case AV_CHAN_FRONT_LEFT:
    case AV_CHAN_FRONT_RIGHT:
    case AV_CHAN_FRONT_LEFT_OF_CENTER:
    case AV_CHAN_FRONT_RIGHT_OF_CENTER:
      return 0.5 * std::numbers::sqrt2;
    case AV_CHAN_BACK_LEFT:
    case AV_CHAN_BACK_RIGHT:
    case AV_CHAN_BACK_CENTER:
    case AV_CHAN_SIDE_LEFT:
    case AV_CHAN_SIDE_RIGHT:
      return 0.5;
    case AV_CHAN_LOW_FREQUENCY:
      return 0.0;
    default:
      return std::nullopt;
  }
}

template <typename Sample>
float to_float(Sample sample) {
  if constexpr (std::is_floating_point_v<Sample>) {
    return static_cast<float>(sample);
  } else if constexpr (std::is_same_v<Sample, std::uint8_t>) {
    return (static_cast<float>(sample) - 128.0F) / 128.0F;
  } else {
    const double full_scale = -static_cast<double>(std::numeric_limits<Sample>::min());
    return static_cast<float>(static_cast<double>(sample) / full_scale);
  }
}

template <typename Sample>
void mix(const AVFrame& frame, const std::vector<float>& gains, std::vector<float>& mono) {
  const bool is_planar =
      libav().av_sample_fmt_is_planar(static_cast<AVSampleFormat>(frame.format)) != 0;
  const std::size_t step = is_planar ? 1 : gains.size();
  for (std::size_t c = 0; c < gains.size(); ++c) {
    if (gains[c] == 0.0F) continue;
    const auto* samples = reinterpret_cast<const Sample*>(frame.extended_data[is_planar ? c : 0]) +
                          (is_planar ? 0 : c);
    for (std::size_t i = 0; i < mono.size(); ++i) mono[i] += gains[c] * to_float(samples[i * step]);
  }
}

}  // namespace

std::vector<float> mono_gains(const AVChannelLayout& layout) {
  const auto channels = static_cast<std::size_t>(std::max(layout.nb_channels, 0));
  std::vector<double> gains(channels, 1.0);
  for (std::size_t c = 0; c < channels && channels > 2; ++c) {
    const auto gain = speaker_gain(
        libav().av_channel_layout_channel_from_index(&layout, static_cast<unsigned>(c)));
    if (!gain) {
      gains.assign(channels, 1.0);
      break;
    }
    gains[c] = *gain;
  }
  const double sum = std::accumulate(gains.begin(), gains.end(), 0.0);
  std::vector<float> scaled;
  scaled.reserve(channels);
  for (const double gain : gains) scaled.push_back(static_cast<float>(gain / sum));
  return scaled;
}

bool downmix(const AVFrame& frame, std::vector<float>& mono) {
  const auto gains = mono_gains(frame.ch_layout);
  mono.assign(static_cast<std::size_t>(frame.nb_samples), 0.0F);
  switch (libav().av_get_packed_sample_fmt(static_cast<AVSampleFormat>(frame.format))) {
    case AV_SAMPLE_FMT_U8:
      mix<std::uint8_t>(frame, gains, mono);
      return true;
    case AV_SAMPLE_FMT_S16:
      mix<std::int16_t>(frame, gains, mono);
      return true;
    case AV_SAMPLE_FMT_S32:
      mix<std::int32_t>(frame, gains, mono);
      return true;
    case AV_SAMPLE_FMT_S64:
      mix<std::int64_t>(frame, gains, mono);
      return true;
    case AV_SAMPLE_FMT_FLT:
      mix<float>(frame, gains, mono);
      return true;
    case AV_SAMPLE_FMT_DBL:
      mix<double>(frame, gains, mono);
      return true;
    default:
      return false;
  }
}

}  // namespace wnpu::audio
