// Audio inputs that a user may name: a file, stdin or bytes in memory; headerless PCM with its
// format spelled out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wnpu::audio {

// How one sample of headerless PCM lies in memory; names as ffmpeg's raw muxers have them.
enum class SampleFormat {
  s8,
  u8,
  s16le,
  s16be,
  s24le,
  s24be,
  s32le,
  s32be,
  f32le,
  f32be,
  f64le,
  f64be,
  mulaw,
  alaw
};

std::size_t bytes_per_sample(SampleFormat format);

// Headerless PCM: interleaved frames of `channels` samples.
struct RawFormat {
  SampleFormat format = SampleFormat::s16le;
  int sample_rate = 16000;
  int channels = 1;

  bool operator==(const RawFormat&) const = default;
};

std::size_t bytes_per_frame(const RawFormat& format);

// "s16le:16000:1" is format, rate in Hz, channels. Throws AudioError for anything else.
RawFormat parse_raw_format(std::string_view spec);

// Format of a telephone exchange's headerless files, by their names (.ulaw, .ul, .alaw, .al):
// "mulaw:8000:1"; empty for any other name.
std::string telephone_format(std::string_view name);

// Whether a file of this name may be samples without a header: "talk.raw", "talk.f32le".
bool is_raw_name(std::string_view name);

// A part of an audio, in samples at 16 kHz. One that begins behind the audio's end is an error, one
// that ends there is not.
struct SampleRange {
  std::uint64_t first = 0;
  std::uint64_t size = std::numeric_limits<std::uint64_t>::max();  // at most

  bool operator==(const SampleRange&) const = default;
};

// The most that a temporary copy takes: what has no end fills no disk.
inline constexpr std::uint64_t kSpoolBytes = std::uint64_t{32} << 30;
inline constexpr double kSpoolSeconds = 24 * 60 * 60;

struct Input {
  std::filesystem::path path;           // "-" is stdin; empty: `memory`
  std::optional<RawFormat> raw_format;  // set: the bytes are PCM without a header
  // Track of a file with several, counted from 0 (ffmpeg's 0:a:N); empty: the one ffmpeg chooses.
  std::optional<std::size_t> audio_track = std::nullopt;
  // The temporary copy of what cannot seek takes at most this, so many seconds of audio, and half
  // of what is free where it lies. Seconds are by the raw format or a WAV's header, else 384,000
  // bytes each (48 kHz, stereo, floats).
  std::uint64_t spool_bytes = kSpoolBytes;
  double spool_s = kSpoolSeconds;
  // A file's bytes, where there is no path; they must stay as long as what reads them.
  std::span<const std::byte> memory = {};
  // Only these are heard, as if there were no others.
  SampleRange range = {};
  // Silence before sound that begins late, and in the place of what is missing, by the container's
  // times; false: what there is, one behind the other, as `ffmpeg -f s16le` has it.
  bool container_times = true;
  // For messages; empty: the path, "stdin" or "memory".
  std::string name = {};
};

// Bounds of a believable header. 768 kHz is the highest rate sold (DXD and DSD converters); below
// 1 kHz there is no speech, and upsampling a damaged header's 1 Hz would make years of audio.
inline constexpr int kMinSampleRate = 1000;
inline constexpr int kMaxSampleRate = 768000;
inline constexpr int kMaxChannels = 64;

}  // namespace wnpu::audio
