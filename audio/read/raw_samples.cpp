#include "audio/read/raw_samples.h"

#include <cstring>

extern "C" {
#include <libavutil/samplefmt.h>
}

namespace wnpu::audio {
namespace {

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

// Format of libav that samples of this format are widened to.
AVSampleFormat widened(SampleFormat format) {
  switch (format) {
    case SampleFormat::f32le:
    case SampleFormat::f32be:
      return AV_SAMPLE_FMT_FLT;
    case SampleFormat::f64le:
    case SampleFormat::f64be:
      return AV_SAMPLE_FMT_DBL;
    default:
      return bytes_per_sample(format) <= 2 ? AV_SAMPLE_FMT_S16 : AV_SAMPLE_FMT_S32;
  }
}

std::size_t bytes_of(AVSampleFormat format) {
  if (format == AV_SAMPLE_FMT_S16) return 2;
  return format == AV_SAMPLE_FMT_DBL ? 8 : 4;
}

// ITU-T G.711: a sign, an exponent of three bits and a mantissa of four; 16 bits of it.
std::int16_t expand_mulaw(unsigned code) {
  code = ~code & 0xFFU;
  const int magnitude = static_cast<int>((((code & 0xFU) << 3U) + 0x84U) << (code >> 4U & 7U));
  return static_cast<std::int16_t>((code & 0x80U) != 0 ? 0x84 - magnitude : magnitude - 0x84);
}

std::int16_t expand_alaw(unsigned code) {
  code ^= 0x55U;
  const unsigned exponent = code >> 4U & 7U;
  const unsigned mantissa = ((code & 0xFU) << 4U) + (exponent == 0 ? 8U : 0x108U);
  const int magnitude = static_cast<int>(mantissa << (exponent == 0 ? 0U : exponent - 1));
  return static_cast<std::int16_t>((code & 0x80U) != 0 ? magnitude : -magnitude);
}

void widen_sample(SampleFormat format, std::span<const std::byte> bytes, std::uint8_t* to) {
  std::uint64_t value = is_big_endian(format) ? load_big_endian(bytes) : load_little_endian(bytes);
  if (format == SampleFormat::u8) value ^= 0x80U;  // unsigned: 128 is silence
  auto bits = static_cast<unsigned>(8 * bytes.size());
  if (format == SampleFormat::mulaw || format == SampleFormat::alaw) {
    const auto code = static_cast<unsigned>(value);
    const int sample = format == SampleFormat::mulaw ? expand_mulaw(code) : expand_alaw(code);
    value = static_cast<std::uint64_t>(sample);
    bits = 16;
  }
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

}  // namespace

std::uint64_t load_little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | std::to_integer<unsigned>(bytes[i]);
  return value;
}

int widened_format(SampleFormat format) { return widened(format); }

void widen(SampleFormat format, std::span<const std::byte> bytes, std::vector<std::uint8_t>& out) {
  const std::size_t width = bytes_per_sample(format);
  const std::size_t wide = bytes_of(widened(format));
  const std::size_t n = bytes.size() / width;
  out.resize(n * wide);
  for (std::size_t i = 0; i < n; ++i)
    widen_sample(format, bytes.subspan(i * width, width), out.data() + i * wide);
}

}  // namespace wnpu::audio
