// Formats, widths, rates and channels: what comes out is what was put in.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

#include <doctest/doctest.h>
#include <sndfile.h>

#include "audio/read/decoder.h"
#include "audio/read/pcm_reader.h"
#include "tests/few_samples.h"
#include "tests/support/audio_files.h"
#include "tests/support/difference.h"
#include "tests/support/random_matrix.h"
#include "tests/support/tolerances.h"

using namespace wnpu::audio;
using namespace wnpu::tests;

namespace {

Sound noise(int sample_rate, int channels, std::size_t frames) {
  return {sample_rate, channels,
          random_vector(frames * static_cast<std::size_t>(channels), 7, 0.9)};
}

// Raw PCM of one value in each format, as bytes.
template <typename T>
std::string file_bytes(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::vector<float> decode_raw(const std::string& bytes, SampleFormat format, int channels = 1) {
  const TempFile file(bytes);
  return decode_all({file.path(), RawFormat{format, 16000, channels}}).samples;
}

// The largest difference to 0.5 sin(2 pi hz t) at 16 kHz, away from the ends.
double difference_to_sine(const std::vector<float>& samples, double hz) {
  double worst = 0;
  for (std::size_t i = 400; i + 400 < samples.size(); ++i) {
    const double expected =
        0.5 * std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / 16000.0);
    worst = std::max(worst, std::abs(static_cast<double>(samples[i]) - expected));
  }
  return worst;
}

constexpr int kSurround[] = {SF_CHANNEL_MAP_LEFT,      SF_CHANNEL_MAP_RIGHT,
                             SF_CHANNEL_MAP_CENTER,    SF_CHANNEL_MAP_LFE,
                             SF_CHANNEL_MAP_REAR_LEFT, SF_CHANNEL_MAP_REAR_RIGHT};

void check_against_ffmpeg(int rate, int channels, int format) {
  CAPTURE(rate);
  CAPTURE(channels);
  CAPTURE(format);
  const auto layout = std::span(kSurround).first(channels == 6 ? 6 : 0);
  const TempFile file(encode(noise(rate, channels, 5000), format, layout));
  CHECK(same_samples(s16_bytes(decode_all(file.input()).samples), ffmpeg_s16(file.path())));
}

}  // namespace

TEST_CASE("decoders: 16 kHz mono comes out as it went in, to the step of its width") {
  const Sound sound = noise(16000, 1, 16001);
  struct Case {
    int format;
    double tolerance;
    const char* name;
  };
  for (const Case& c :
       {Case{SF_FORMAT_WAV | SF_FORMAT_PCM_U8, tolerance::kPcm8, "WAV"},
        Case{SF_FORMAT_WAV | SF_FORMAT_PCM_16, tolerance::kPcm16, "WAV"},
        Case{SF_FORMAT_WAV | SF_FORMAT_PCM_24, tolerance::kPcm16, "WAV"},
        Case{SF_FORMAT_WAV | SF_FORMAT_PCM_32, tolerance::kPcm16, "WAV"},
        Case{SF_FORMAT_WAV | SF_FORMAT_FLOAT, tolerance::kRounded16, "WAV"},
        Case{SF_FORMAT_WAV | SF_FORMAT_DOUBLE, tolerance::kRounded16, "WAV"},
        Case{SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, tolerance::kPcm16, "WAV"},
        Case{SF_FORMAT_RF64 | SF_FORMAT_PCM_16, tolerance::kPcm16, "RF64"},
        Case{SF_FORMAT_W64 | SF_FORMAT_PCM_16, tolerance::kPcm16, "W64"},
        Case{SF_FORMAT_FLAC | SF_FORMAT_PCM_16, tolerance::kPcm16, "flac"},
        Case{SF_FORMAT_FLAC | SF_FORMAT_PCM_24, tolerance::kPcm16, "flac"},
        Case{SF_FORMAT_AIFF | SF_FORMAT_PCM_16, tolerance::kPcm16, "AIFF"},
        Case{SF_FORMAT_AU | SF_FORMAT_PCM_16, tolerance::kPcm16, "AU"},
        Case{SF_FORMAT_CAF | SF_FORMAT_PCM_16, tolerance::kPcm16, "CAF"},
        Case{SF_FORMAT_NIST | SF_FORMAT_PCM_16, tolerance::kPcm16, "NIST SPHERE"}}) {
    CAPTURE(c.format);
    const TempFile file(encode(sound, c.format));
    CHECK(open_pcm(file.input())->info().format == c.name);
    const auto decoded = decode_all(file.input());
    CHECK(max_abs_difference(decoded.samples, sound.samples) <= c.tolerance);
    CHECK(decoded.warnings.empty());
  }
}

TEST_CASE("decoders: lossy formats keep length and shape") {
  const Sound sound = sine(16000, 1, 440, 2.0);
  for (const int format : {SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_OPUS,
                           SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III}) {
    CAPTURE(format);
    const TempFile file(encode(sound, format));
    const auto decoded = decode_all(file.input());
    // libav 5.1 loses the last 256 samples of the Vorbis streams that libsndfile writes, and puts a
    // wrong frame of 20 ms into its Opus stream; ffmpeg does the same.
    CHECK(decoded.samples.size() <= sound.samples.size());
    REQUIRE(decoded.samples.size() + 256 >= sound.samples.size());
    CHECK(nmse(decoded.samples, std::span(sound.samples).first(decoded.samples.size())) <
          tolerance::kLossyNmse);
  }
}

TEST_CASE("decoders: libav reads what libsndfile reads, with the same samples") {
  const Sound sound = noise(16000, 2, 5000);
  for (const int format : {SF_FORMAT_WAV | SF_FORMAT_PCM_U8, SF_FORMAT_WAV | SF_FORMAT_PCM_16,
                           SF_FORMAT_WAV | SF_FORMAT_PCM_24, SF_FORMAT_WAV | SF_FORMAT_FLOAT,
                           SF_FORMAT_WAV | SF_FORMAT_DOUBLE, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
                           SF_FORMAT_CAF | SF_FORMAT_PCM_24}) {
    CAPTURE(format);
    const TempFile file(encode(sound, format));
    Opened libav = open_libav(InputFile(file.input()));
    REQUIRE(libav.decoder);
    PcmReader reader(std::move(libav.decoder), "libav");
    std::vector<float> samples(6000);
    std::size_t n = 0;
    while (const std::size_t got = reader.read(std::span(samples).subspan(n))) n += got;
    samples.resize(n);
    CHECK(samples == decode_all(file.input()).samples);
  }
}

TEST_CASE("decoders: channels without names count the same, every one") {
  for (const int channels : {3, 8, 64}) {
    CAPTURE(channels);
    Sound sound{16000, channels, std::vector<float>(static_cast<std::size_t>(200 * channels))};
    for (std::size_t i = 0; i < 200; ++i) {
      sound.samples[(i + 1) * static_cast<std::size_t>(channels) - 1] = 1.0F;
    }
    const TempFile file(encode(sound, SF_FORMAT_WAV | SF_FORMAT_FLOAT));
    const auto samples = decode_all(file.input()).samples;
    REQUIRE(samples.size() == 200);
    CHECK(std::abs(static_cast<double>(samples[100]) - 1.0 / channels) <= tolerance::kRounded16);
  }
}

TEST_CASE("decoders: any rate becomes 16 kHz, with the same length in seconds") {
  for (const int rate : {8000, 11025, 22050, 44100, 48000, 96000, 192000}) {
    CAPTURE(rate);
    const TempFile file(encode(sine(rate, 2, 440, 1.0), SF_FORMAT_WAV | SF_FORMAT_PCM_16));
    const auto samples = decode_all(file.input()).samples;
    CHECK(samples.size() == 16000);
    CHECK(difference_to_sine(samples, 440) < tolerance::kResampled);
  }
}

TEST_CASE("decoders: any type, width, rate and channels give ffmpeg's samples bit for bit") {
  // Six channels have no names in WAV and AU: there ours differ on purpose.
  constexpr std::array kRates{44100, 16000, 8000};
  for (const int rate : some_of(kRates)) {
    for (const int channels : {1, 2, 6}) {
      for (const int type : {SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_FLOAT})
        check_against_ffmpeg(rate, channels, SF_FORMAT_WAVEX | type);
      if (channels == 6) continue;
      check_against_ffmpeg(rate, channels, SF_FORMAT_WAV | SF_FORMAT_DOUBLE);
      check_against_ffmpeg(rate, channels, SF_FORMAT_AU | SF_FORMAT_ULAW);
    }
  }
}

TEST_CASE("decoders: the size of the caller's blocks changes nothing") {
  const TempFile file(encode(noise(44100, 1, 50000), SF_FORMAT_WAV | SF_FORMAT_PCM_16));
  CHECK(decode_all(file.input(), 1).samples == decode_all(file.input(), 16384).samples);
}

TEST_CASE("raw PCM: every format's bytes") {
  const std::vector<float> expected{0.5F, -1.0F};
  CHECK(decode_raw("\x40\x80", SampleFormat::s8) == expected);
  CHECK(decode_raw({"\xC0\x00", 2}, SampleFormat::u8) == expected);
  CHECK(decode_raw({"\x00\x40\x00\x80", 4}, SampleFormat::s16le) == expected);
  CHECK(decode_raw({"\x40\x00\x80\x00", 4}, SampleFormat::s16be) == expected);
  CHECK(decode_raw({"\x00\x00\x40\x00\x00\x80", 6}, SampleFormat::s24le) == expected);
  CHECK(decode_raw({"\x40\x00\x00\x80\x00\x00", 6}, SampleFormat::s24be) == expected);
  CHECK(decode_raw({"\x00\x00\x00\x40\x00\x00\x00\x80", 8}, SampleFormat::s32le) == expected);
  CHECK(decode_raw({"\x40\x00\x00\x00\x80\x00\x00\x00", 8}, SampleFormat::s32be) == expected);
  CHECK(decode_raw(file_bytes<float>({0.5F, -1.0F}), SampleFormat::f32le) == expected);
  CHECK(decode_raw({"\x3f\x00\x00\x00\xbf\x80\x00\x00", 8}, SampleFormat::f32be) == expected);
  CHECK(decode_raw(file_bytes<double>({0.5, -1.0}), SampleFormat::f64le) == expected);
  CHECK(decode_raw({"\x3f\xe0\0\0\0\0\0\0\xbf\xf0\0\0\0\0\0\0", 16}, SampleFormat::f64be) ==
        expected);
}

TEST_CASE("raw PCM: channels are averaged, a cut last frame is left out with a warning") {
  const TempFile file(file_bytes<std::int16_t>({16384, 0, -16384, -16384, 77}));
  const auto decoded = decode_all({file.path(), RawFormat{SampleFormat::s16le, 16000, 2}});
  CHECK(decoded.samples == std::vector<float>{0.25F, -0.5F});
  REQUIRE(decoded.warnings.size() == 1);
  CHECK(decoded.warnings[0] == "expected whole frames of 4 bytes, found 2 bytes more at the end");
}

TEST_CASE("raw PCM: no bytes are no samples") {
  CHECK(decode_raw("", SampleFormat::s16le).empty());
}
