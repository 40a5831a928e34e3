#include "tests/support/audio_files.h"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numbers>
#include <stdexcept>
#include <unistd.h>

#include <doctest/doctest.h>
#include <sndfile.h>

#include "audio/read/error.h"
#include "audio/read/pcm_reader.h"
#include "tests/support/text.h"

namespace wnpu::tests {
namespace {

std::filesystem::path unique_path(const std::string& suffix) {
  static std::atomic<int> count{0};
  return std::filesystem::temp_directory_path() /
         ("wnpu_audio_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + suffix);
}

std::string little_endian(unsigned value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFFU);
  return text;
}

// Integer formats from integers: of floats libsndfile makes x * 32767 and not x * 32768.
void write_samples(SNDFILE* out, const Sound& sound, int subtype) {
  const auto frames = static_cast<sf_count_t>(sound.samples.size()) / sound.channels;
  if (subtype > SF_FORMAT_PCM_U8) {
    sf_writef_float(out, sound.samples.data(), frames);
    return;
  }
  std::vector<int> integers;
  for (const float s : sound.samples) integers.push_back(static_cast<int>(s * 0x1p31F));
  sf_writef_int(out, integers.data(), frames);
}

}  // namespace

TempFile::TempFile(const std::string& bytes, const std::string& suffix)
    : path_(unique_path(suffix)) {
  std::ofstream(path_, std::ios::binary) << bytes;
}

TempFile::~TempFile() { std::filesystem::remove(path_); }

Sound sine(int sample_rate, int channels, double hz, double seconds) {
  Sound sound{sample_rate, channels, {}};
  const auto frames = static_cast<std::size_t>(std::lround(seconds * sample_rate));
  for (std::size_t i = 0; i < frames; ++i) {
    const double phase = 2 * std::numbers::pi * hz * static_cast<double>(i) / sample_rate;
    const auto value = static_cast<float>(0.5 * std::sin(phase));
    for (int c = 0; c < channels; ++c) sound.samples.push_back(value);
  }
  return sound;
}

std::string encode(const Sound& sound, int format, std::span<const int> layout) {
  const TempFile file("", ".tmp");
  SF_INFO info{};
  info.samplerate = sound.sample_rate;
  info.channels = sound.channels;
  info.format = format;
  SNDFILE* out = sf_open(file.path().c_str(), SFM_WRITE, &info);
  if (out == nullptr) throw std::runtime_error(sf_strerror(nullptr));
  if (!layout.empty()) {
    std::vector<int> map(layout.begin(), layout.end());
    sf_command(out, SFC_SET_CHANNEL_MAP_INFO, map.data(),
               static_cast<int>(map.size() * sizeof(int)));
  }
  write_samples(out, sound, format & SF_FORMAT_SUBMASK);
  sf_close(out);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Microsoft's "Multimedia Programming Interface and Data Specifications 1.0", WAVE form.
std::string wav_bytes(const WavHeader& h, const std::string& data) {
  const unsigned frame_bytes = h.channels * h.bits / 8;
  return "RIFF" + little_endian(h.riff_bytes, 4) + "WAVEfmt " + little_endian(16, 4) +
         little_endian(h.format_tag, 2) + little_endian(h.channels, 2) +
         little_endian(h.sample_rate, 4) + little_endian(h.sample_rate * frame_bytes, 4) +
         little_endian(frame_bytes, 2) + little_endian(h.bits, 2) + "data" +
         little_endian(h.data_bytes, 4) + data;
}

Decoded decode_all(const audio::Input& input, std::size_t block) {
  const auto reader = audio::open_pcm(input);
  Decoded decoded;
  std::vector<float> samples(block);
  while (const std::size_t n = reader->read(samples)) {
    decoded.samples.insert(decoded.samples.end(), samples.begin(),
                           samples.begin() + static_cast<std::ptrdiff_t>(n));
  }
  decoded.warnings = reader->warnings();
  return decoded;
}

std::string ffmpeg_output(const std::string& arguments) {
  FILE* pipe = ::popen(("ffmpeg -nostdin -loglevel fatal " + arguments).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string bytes;
  std::array<char, 1U << 14> block{};
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), pipe)) {
    bytes.append(block.data(), n);
  }
  REQUIRE(::pclose(pipe) == 0);
  return bytes;
}

std::string ffmpeg_s16(const std::filesystem::path& path, const std::string& map) {
  // One thread: with more, its FLAC decoder loses frames where the stream changes.
  return ffmpeg_output("-threads 1 -i " + path.string() + (map.empty() ? "" : " -map " + map) +
                       " -ac 1 -ar 16000 -f s16le -");
}

std::string s16_bytes(std::span<const float> samples) {
  std::string bytes;
  for (const float sample : samples) {
    bytes += little_endian(static_cast<unsigned>(std::lround(sample * 0x1p15F)), 2);
  }
  return bytes;
}

bool same_samples(std::string_view ours, std::string_view theirs) {
#ifdef __x86_64__
  return ours == theirs;
#else
  const auto at = [](std::string_view bytes, std::size_t i) {
    std::int16_t sample = 0;
    std::memcpy(&sample, bytes.data() + i, sizeof sample);
    return static_cast<int>(sample);
  };
  if (ours.size() != theirs.size()) return false;
  for (std::size_t i = 0; i + 1 < ours.size(); i += 2) {
    if (std::abs(at(ours, i) - at(theirs, i)) > 1) return false;
  }
  return true;
#endif
}

std::string audio_error_of(const std::function<void()>& f) {
  return wnpu::tests::message_of<audio::AudioError>([&] { f(); });
}

}  // namespace wnpu::tests
