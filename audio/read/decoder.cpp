#include "audio/read/decoder.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "audio/read/error.h"

namespace wnpu::audio {

std::string number_text(double value) {
  std::array<char, 400> text{};
  const double rounded = std::abs(value) < 1e12 ? std::round(value * 1000) / 1000 : value;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), rounded).ptr;
  return {text.data(), end};
}

bool is_streamed_size(std::uint64_t n_bytes, std::uint64_t frame) {
  return n_bytes == 0 || n_bytes > 0x7FFFF000 - frame;
}

// A page that begins a stream, behind one that does not.
bool is_chained_ogg(InputFile& file) {
  constexpr std::string_view kMagic("OggS\0", 5);
  constexpr unsigned char kBegins = 2;
  std::string bytes;
  bool is_begun = false;
  std::vector<char> block(std::size_t{1} << 16U);
  for (std::uint64_t at = 0;
       const std::size_t n = file.read_at(at, std::as_writable_bytes(std::span(block))); at += n) {
    bytes.append(block.data(), n);
    const std::size_t end = bytes.size() - std::min(bytes.size(), kMagic.size());
    for (std::size_t page = bytes.find(kMagic); page < end; page = bytes.find(kMagic, page + 1)) {
      const bool begins = (static_cast<unsigned char>(bytes[page + kMagic.size()]) & kBegins) != 0;
      if (begins && is_begun) return true;
      is_begun |= !begins;
    }
    bytes.erase(0, end);
  }
  return false;
}

void check_track(const InputFile& file, std::size_t n_tracks) {
  const std::size_t wanted = file.audio_track().value_or(0);
  if (wanted < n_tracks) return;
  throw AudioError(
      file.name() + ": expected audio track " + std::to_string(wanted) + ", found " +
      (n_tracks == 1 ? "track 0 alone" : "tracks 0 to " + std::to_string(n_tracks - 1)));
}

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
