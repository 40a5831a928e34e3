// Headerless PCM: bytes to floats, full scale 1.0.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "audio/decoder.h"

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

// Two's complement of `bits` bits, as a fraction of full scale.
float signed_fraction(std::uint64_t value, unsigned bits) {
  const auto top_aligned = static_cast<std::int64_t>(value << (64 - bits));
  return static_cast<float>(static_cast<double>(top_aligned) * 0x1p-63);
}

float load_sample(SampleFormat format, std::span<const std::byte> bytes) {
  switch (format) {
    case SampleFormat::u8:
      return (static_cast<float>(std::to_integer<int>(bytes[0])) - 128.0F) / 128.0F;
    case SampleFormat::s8:
    case SampleFormat::s16le:
    case SampleFormat::s24le:
    case SampleFormat::s32le:
      return signed_fraction(load_little_endian(bytes), static_cast<unsigned>(8 * bytes.size()));
    case SampleFormat::s16be:
    case SampleFormat::s24be:
    case SampleFormat::s32be:
      return signed_fraction(load_big_endian(bytes), static_cast<unsigned>(8 * bytes.size()));
    case SampleFormat::f32le:
      return std::bit_cast<float>(static_cast<std::uint32_t>(load_little_endian(bytes)));
    case SampleFormat::f32be:
      return std::bit_cast<float>(static_cast<std::uint32_t>(load_big_endian(bytes)));
    case SampleFormat::f64le:
      return static_cast<float>(std::bit_cast<double>(load_little_endian(bytes)));
    case SampleFormat::f64be:
      break;
  }
  return static_cast<float>(std::bit_cast<double>(load_big_endian(bytes)));
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
      warnings_.push_back(file_.name() + ": expected whole frames of " +
                          std::to_string(frame_bytes()) + " bytes, found " + std::to_string(rest) +
                          " bytes more at the end");
    }
  }

  const PcmInfo& info() const override { return info_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  std::size_t read(std::span<float> mono) override {
    const auto channels = static_cast<std::size_t>(format_.channels);
    const std::size_t width = bytes_per_sample(format_.format);
    bytes_.resize(std::min<std::size_t>(mono.size(), kBlockFrames) * frame_bytes());
    const std::size_t frames = file_.read_at(position_, bytes_) / frame_bytes();
    file_.check();
    position_ += frames * frame_bytes();
    samples_.resize(frames * channels);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      samples_[i] = load_sample(format_.format, std::span(bytes_).subspan(i * width, width));
    }
    average_channels(samples_, mono.first(frames));
    return frames;
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
  std::vector<float> samples_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<Decoder> open_raw(const InputFile& file) {
  return std::make_unique<RawDecoder>(file);
}

}  // namespace wnpu::audio
