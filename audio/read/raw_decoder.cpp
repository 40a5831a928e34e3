// Headerless PCM: bytes to samples of this machine's order.
#include <cstdint>
#include <cstring>
#include <span>

extern "C" {
#include <libavutil/samplefmt.h>
}

#include "audio/read/decoder.h"

namespace wnpu::audio {
namespace {

std::uint64_t load_little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | std::to_integer<unsigned>(bytes[i]);
  return value;
}

std::uint64_t load_big_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (const std::byte b : bytes) value = value << 8 | std::to_integer<unsigned>(b);
  return value;
}

// Two's complement of `bits` bits, moved to the top of a Target.
template <typename Target>
void store_integer(std::uint64_t value, unsigned bits, std::uint8_t* to) {
  const auto top_aligned = static_cast<std::int64_t>(value << (64 - bits));
  const auto sample = static_cast<Target>(top_aligned >> (64 - 8 * sizeof(Target)));
  std::memcpy(to, &sample, sizeof(sample));
}

bool is_big_endian(SampleFormat format) {
  return format == SampleFormat::s16be || format == SampleFormat::s24be ||
         format == SampleFormat::s32be || format == SampleFormat::f32be ||
         format == SampleFormat::f64be;
}

// What the samples of a format are widened to.
AVSampleFormat widened(SampleFormat format) {
  switch (format) {
    case SampleFormat::u8:
    case SampleFormat::s8:
    case SampleFormat::s16le:
    case SampleFormat::s16be:
      return AV_SAMPLE_FMT_S16;
    case SampleFormat::s24le:
    case SampleFormat::s24be:
    case SampleFormat::s32le:
    case SampleFormat::s32be:
      return AV_SAMPLE_FMT_S32;
    case SampleFormat::f32le:
    case SampleFormat::f32be:
      return AV_SAMPLE_FMT_FLT;
    case SampleFormat::f64le:
    case SampleFormat::f64be:
      break;
  }
  return AV_SAMPLE_FMT_DBL;
}

std::size_t bytes_of(AVSampleFormat format) {
  if (format == AV_SAMPLE_FMT_S16) return 2;
  return format == AV_SAMPLE_FMT_DBL ? 8 : 4;
}

void widen_sample(SampleFormat format, std::span<const std::byte> bytes, std::uint8_t* to) {
  std::uint64_t value = is_big_endian(format) ? load_big_endian(bytes) : load_little_endian(bytes);
  if (format == SampleFormat::u8) value ^= 0x80U;  // unsigned: 128 is silence
  const auto bits = static_cast<unsigned>(8 * bytes.size());
  switch (widened(format)) {
    case AV_SAMPLE_FMT_S16:
      return store_integer<std::int16_t>(value, bits, to);
    case AV_SAMPLE_FMT_S32:
    case AV_SAMPLE_FMT_FLT:
      return store_integer<std::int32_t>(value, bits, to);
    default:
      return store_integer<std::int64_t>(value, bits, to);
  }
}

class RawDecoder final : public Decoder {
 public:
  explicit RawDecoder(const InputFile& file)
      : file_(file.duplicate()),
        format_(*file.raw_format()),
        info_{"raw PCM", format_.channels, format_.sample_rate} {
    check_info(info_, file_.name());
    const std::uint64_t rest = file_.size() % frame_bytes();
    if (rest != 0) {
      warnings_.push_back("expected whole frames of " + std::to_string(frame_bytes()) +
                          " bytes, found " + std::to_string(rest) + " bytes more at the end");
    }
  }

  const PcmInfo& info() const override { return info_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  PcmBlock next() override {
    const std::size_t width = bytes_per_sample(format_.format);
    bytes_.resize(kBlockFrames * frame_bytes());
    const std::size_t frames = file_.read_at(position_, bytes_) / frame_bytes();
    file_.check();
    position_ += frames * frame_bytes();
    const AVSampleFormat type = widened(format_.format);
    const std::size_t n_samples = frames * static_cast<std::size_t>(format_.channels);
    samples_.resize(n_samples * bytes_of(type));
    for (std::size_t i = 0; i < n_samples; ++i) {
      widen_sample(format_.format, std::span(bytes_).subspan(i * width, width),
                   samples_.data() + i * bytes_of(type));
    }
    plane_ = samples_.data();
    return {{type, format_.channels, format_.sample_rate, 0}, frames, &plane_};
  }

 private:
  static constexpr std::size_t kBlockFrames = 4096;

  std::size_t frame_bytes() const {
    return bytes_per_sample(format_.format) * static_cast<std::size_t>(format_.channels);
  }

  InputFile file_;
  RawFormat format_;
  PcmInfo info_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::uint8_t> samples_;
  const std::uint8_t* plane_ = nullptr;
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<Decoder> open_raw(const InputFile& file) {
  return std::make_unique<RawDecoder>(file);
}

}  // namespace wnpu::audio
