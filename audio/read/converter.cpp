#include "audio/read/converter.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <new>
#include <span>
#include <utility>

#include "audio/read/error.h"
#include "audio/read/libav_library.h"

namespace wnpu::audio {
namespace {

bool is_either(const PcmLayout& layout, AVSampleFormat packed, AVSampleFormat planar) {
  return layout.sample_format == packed || layout.sample_format == planar;
}

// As libswresample's, without it: to the nearest, of two the even one, and cut off. A program that
// hands over samples needs no FFmpeg.
std::int16_t to_16_bit(float sample) {
  const float scaled = std::clamp(sample * 0x1p15F, -0x1p15F, 0x1p15F - 1);
  return static_cast<std::int16_t>(std::lrint(scaled));
}

}  // namespace

void Converter::Delete::operator()(SwrContext* state) const { swresample().swr_free(&state); }

// Channels whose speakers are not named, and more than the two that need no names, all count the
// same. (ffmpeg guesses a layout for them and so drops, for instance, the third of three
// microphones.) So do layouts with speakers that libswresample has no gains for.
Converter::Converter(const PcmLayout& layout, std::string name)
    : layout_(layout), name_(std::move(name)) {
  is_float_ = is_either(layout, AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP);
  const bool is_plain = is_float_ || is_either(layout, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P);
  if (is_plain && layout.channels == 1 && layout.sample_rate == kSampleRate) return;
  const bool is_named = layout.channels <= 2 || layout.speakers != 0;
  if (is_named) state_ = open(false);
  if (!state_) state_ = open(true);
  if (!state_) {
    throw AudioError(name_ + ": expected samples that libswresample can convert, found format " +
                     std::to_string(layout.sample_format) + ", " + std::to_string(layout.channels) +
                     " channels, " + std::to_string(layout.sample_rate) + " Hz");
  }
}

Converter::State Converter::open(bool by_mean) const {
  AVChannelLayout from{};
  AVChannelLayout mono{};
  swresample().av_channel_layout_default(&mono, 1);
  swresample().av_channel_layout_default(&from, layout_.channels);
  if (layout_.speakers != 0) {
    swresample().av_channel_layout_from_mask(&from, layout_.speakers);
  }
  SwrContext* raw = nullptr;
  const int made = swresample().swr_alloc_set_opts2(
      &raw, &mono, AV_SAMPLE_FMT_S16, kSampleRate, &from,
      static_cast<AVSampleFormat>(layout_.sample_format), layout_.sample_rate, 0, nullptr);
  State state(raw);
  if (made == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (!state) return nullptr;
  if (by_mean) {
    const auto channels = static_cast<std::size_t>(layout_.channels);
    const std::vector<double> gains(channels, 1.0 / layout_.channels);
    if (swresample().swr_set_matrix(state.get(), gains.data(), layout_.channels) < 0)
      return nullptr;
  }
  const int begun = swresample().swr_init(state.get());
  if (begun == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (begun < 0) return nullptr;
  return state;
}

void Converter::convert(const PcmBlock& block, std::vector<std::int16_t>& out) {
  if (state_) return add(block.planes, block.n_frames, out);
  if (is_float_) {
    const std::span samples(reinterpret_cast<const float*>(block.planes[0]), block.n_frames);
    std::ranges::transform(samples, std::back_inserter(out), to_16_bit);
    return;
  }
  const auto* samples = reinterpret_cast<const std::int16_t*>(block.planes[0]);
  out.insert(out.end(), samples, samples + block.n_frames);
}

void Converter::flush(std::vector<std::int16_t>& out) {
  if (state_) add(nullptr, 0, out);
}

void Converter::add(const std::uint8_t* const* planes, std::size_t n_frames,
                    std::vector<std::int16_t>& out) {
  const int room = swresample().swr_get_out_samples(state_.get(), static_cast<int>(n_frames));
  const std::size_t first = out.size();
  out.resize(first + static_cast<std::size_t>(std::max(room, 0)));
  auto* to = reinterpret_cast<std::uint8_t*>(out.data() + first);
  const int n = swresample().swr_convert(state_.get(), &to, std::max(room, 0),
                                         const_cast<const std::uint8_t**>(planes),  // NOLINT
                                         static_cast<int>(n_frames));
  if (n == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (n < 0)
    throw AudioError(name_ + ": expected samples, found libswresample's error " +
                     std::to_string(n));
  out.resize(first + static_cast<std::size_t>(n));
}

}  // namespace wnpu::audio
