// Input that is cut, garbled or absurd: an AudioError or what is there, with a warning; never a
// crash, a hang or a silent loss.
#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>
#include <sndfile.h>

#include "tests/support/audio_files.h"
#include "tests/support/random_matrix.h"
#include "tests/support/text.h"

using namespace wnpu::audio;
using namespace wnpu::tests;

namespace {

bool has_part(const std::string& text, const std::string& part) { return has(text, part); }

std::string error_for(const std::string& bytes, const std::string& suffix = ".wav") {
  const TempFile file(bytes, suffix);
  std::string message = audio_error_of([&] { decode_all(file.input()); });
  if (!message.empty()) CHECK(has_part(message, file.path().string()));
  return message;
}

constexpr int kFormats[] = {
    SF_FORMAT_WAV | SF_FORMAT_PCM_16,  SF_FORMAT_RF64 | SF_FORMAT_PCM_16,
    SF_FORMAT_W64 | SF_FORMAT_PCM_16,  SF_FORMAT_FLAC | SF_FORMAT_PCM_16,
    SF_FORMAT_AIFF | SF_FORMAT_PCM_16, SF_FORMAT_AU | SF_FORMAT_PCM_16,
    SF_FORMAT_CAF | SF_FORMAT_PCM_16,  SF_FORMAT_OGG | SF_FORMAT_VORBIS,
    SF_FORMAT_OGG | SF_FORMAT_OPUS,    SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III};

}  // namespace

TEST_CASE("damage: a cut file gives what is there, and says so") {
  const Sound sound = sine(16000, 1, 300, 4.0);
  for (const int format : {SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_W64 | SF_FORMAT_PCM_16,
                           SF_FORMAT_FLAC | SF_FORMAT_PCM_16, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
                           SF_FORMAT_AU | SF_FORMAT_PCM_16}) {
    CAPTURE(format);
    const std::string whole = encode(sound, format);
    const TempFile file(whole.substr(0, whole.size() / 2));
    const auto decoded = decode_all(file.input());
    CHECK(decoded.samples.size() > 16000);
    CHECK(decoded.samples.size() < 48000);
    REQUIRE(!decoded.warnings.empty());
    CHECK(decoded.warnings.back().starts_with("expected "));
    CHECK(has_part(decoded.warnings.back(), "cut short"));
  }
}

TEST_CASE("damage: a cut Ogg, CAF or MP3 file gives what is there") {
  // Noise, because an Ogg stream loses its last page (4 KiB and more) when it is cut.
  const Sound sound{16000, 1, random_vector(128000, 5, 0.3)};
  for (const int format :
       {SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_OPUS,
        SF_FORMAT_CAF | SF_FORMAT_PCM_16, SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III}) {
    CAPTURE(format);
    const std::string whole = encode(sound, format);
    const TempFile file(whole.substr(0, whole.size() * 3 / 4));
    const auto decoded = decode_all(file.input());
    CHECK(decoded.samples.size() > 32000);
    CHECK(decoded.samples.size() < 120000);
  }
}

TEST_CASE("damage: what follows a damaged place is not lost") {
  const Sound sound{16000, 1, random_vector(128000, 5, 0.3)};
  for (const int format : {SF_FORMAT_FLAC | SF_FORMAT_PCM_16, SF_FORMAT_OGG | SF_FORMAT_VORBIS,
                           SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III}) {
    CAPTURE(format);
    std::string bytes = encode(sound, format);
    bytes.replace(bytes.size() / 2, 20, std::string(20, '\0'));
    const TempFile file(bytes);
    const auto decoded = decode_all(file.input());
    CHECK(decoded.samples.size() > 96000);
    CHECK(decoded.samples.size() <= 128000);
  }
}

TEST_CASE("damage: files cut anywhere are refused or shorter, never longer") {
  const Sound sound{16000, 1, random_vector(32000, 5, 0.3)};
  for (const int format : kFormats) {
    CAPTURE(format);
    const std::string whole = encode(sound, format);
    std::size_t refused = 0;
    std::size_t decoded = 0;
    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 8) {
      CAPTURE(length);
      const TempFile file(whole.substr(0, length));
      std::size_t samples = 0;
      const std::string message =
          audio_error_of([&] { samples = decode_all(file.input()).samples.size(); });
      CHECK(samples <= sound.samples.size());
      (message.empty() ? decoded : refused) += 1;
    }
    CHECK(refused > 0);
    CHECK(decoded > 0);
  }
}

TEST_CASE("damage: garbled bytes give an AudioError or samples, whatever they hit") {
  const Sound sound = sine(16000, 2, 300, 0.25);
  Random random(11);
  const auto pick = [&random](std::size_t n) {
    return static_cast<std::size_t>((random.uniform() + 1.0) / 2.0 * static_cast<double>(n));
  };
  for (const int format : kFormats) {
    CAPTURE(format);
    const std::string whole = encode(sound, format);
    for (int round = 0; round < 60; ++round) {
      std::string bytes = whole;
      // Headers are where the decisions are.
      const std::size_t reach =
          round % 2 == 0 ? std::min<std::size_t>(bytes.size(), 100) : bytes.size();
      for (int i = 0; i <= round % 8; ++i) bytes[pick(reach)] = static_cast<char>(pick(256));
      const TempFile file(bytes);
      std::size_t samples = 0;
      const std::string message =
          audio_error_of([&] { samples = decode_all(file.input(), 4096).samples.size(); });
      // A garbled rate stretches the 0.25 s at most from 1 kHz to 16 kHz.
      CHECK((!message.empty() || samples <= 16 * sound.samples.size()));
    }
  }
}

TEST_CASE("damage: what is not audio is refused, with what was found") {
  std::string random_bytes;
  Random random(3);
  for (int i = 0; i < 20000; ++i) random_bytes += static_cast<char>(random.uniform() * 127);
  for (const std::string& bytes :
       {std::string("This is a text file, not a sound.\n"), std::string(50000, '\0'),
        std::string(50000, '\xFF'), random_bytes, std::string("RIFF"), std::string("OggS"),
        std::string("fLaC"), std::string("ID3\x04"),
        std::string("\x7f"
                    "ELF\x02\x01\x01",
                    7),
        std::string("#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"),
        std::string("ffconcat version 1.0\nfile '/etc/passwd'\n")}) {
    CAPTURE(bytes.substr(0, 20));
    const std::string message = error_for(bytes, ".bin");
    CHECK(has_part(message, "expected audio, found " + std::to_string(bytes.size()) + " bytes"));
  }
}

TEST_CASE("damage: absurd headers are refused with the number") {
  const std::string data(3200, '\x11');
  CHECK(!error_for(wav_bytes({1, 0, 16000, 16, 36 + 3200, 3200}, data)).empty());
  CHECK(has_part(error_for(wav_bytes({1, 65, 16000, 16, 36 + 3200, 3200}, data)),
                 "expected 1 to 64 channels, found 65"));
  CHECK(has_part(error_for(wav_bytes({1, 1, 1, 16, 36 + 3200, 3200}, data)),
                 "expected a sample rate of 1000 to 768000 Hz, found 1"));
  CHECK(!error_for(wav_bytes({1, 1, 0, 16, 36 + 3200, 3200}, data)).empty());
  CHECK(!error_for(wav_bytes({1, 1, 2000000000, 16, 36 + 3200, 3200}, data)).empty());
  CHECK(!error_for(wav_bytes({0x1234, 1, 16000, 16, 36 + 3200, 3200}, data)).empty());
}

TEST_CASE("damage: a header that wants more than the file has is no lack of memory") {
  // RIFF "fmt " of a WMA stream, with 50000 bytes for its codec that are not there: libav's ENOMEM.
  const std::string header(
      "RIFF\xA0\x86\1\0WAVEfmt \x60\xEA\0\0\x61\1\1\0"
      "\x40\x1F\0\0\xE8\3\0\0\4\0\x10\0\x50\xC3",
      38);
  CHECK(has_part(error_for(header + std::string(30, '\0')), "expected audio, found 68 bytes"));
}

TEST_CASE("damage: NaN and infinity are refused, with where they are") {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(), 3e38F}) {
    for (const int rate : {16000, 44100}) {
      Sound sound = sine(rate, 1, 300, 1.0);
      sound.samples[static_cast<std::size_t>(rate / 2)] = bad;
      const std::string message = error_for(encode(sound, SF_FORMAT_WAV | SF_FORMAT_FLOAT));
      CHECK(has_part(message, "expected finite samples, found "));
      CHECK(has_part(message, " at 0.5 s"));
    }
  }
}

TEST_CASE("damage: a float file of another scale is cut off with a warning") {
  Sound sound = sine(16000, 1, 300, 0.1);
  for (float& s : sound.samples) s *= 32768.0F;
  const TempFile file(encode(sound, SF_FORMAT_WAV | SF_FORMAT_FLOAT));
  const auto decoded = decode_all(file.input());
  CHECK(decoded.samples[12] == 1.0F - 0x1p-15F);
  REQUIRE(decoded.warnings.size() == 1);
  CHECK(has_part(decoded.warnings[0], "expected samples from -1 to 1, found 16384"));
}

TEST_CASE("damage: a streamed WAV without a length is read to its end, without a warning") {
  const std::string data(32000, '\x11');
  for (const unsigned length : {0U, 0xFFFFFFFFU, 0x7FFFFFFFU, 0x7FFFF024U, 0x80000000U}) {
    CAPTURE(length);
    const TempFile file(wav_bytes({1, 1, 16000, 16, length, length}, data));
    const auto decoded = decode_all(file.input());
    CHECK(decoded.samples.size() == 16000);
    CHECK(decoded.warnings.empty());
  }
}

TEST_CASE("damage: a WAV of sox that was streamed is whole, whatever its frames' size") {
  for (const unsigned channels : {1U, 2U, 3U, 6U}) {
    for (const unsigned bits : {8U, 16U, 24U, 32U}) {
      CAPTURE(channels);
      CAPTURE(bits);
      const unsigned frame = channels * bits / 8;
      const unsigned length = 0x7FFFF000 / frame * frame;
      const std::string data(16000UL * frame, '\x11');
      const TempFile file(wav_bytes({1, channels, 16000, bits, length + 36, length}, data));
      const auto decoded = decode_all(file.input());
      CHECK(decoded.samples.size() == 16000);
      CHECK(decoded.warnings.empty());
    }
  }
}

TEST_CASE("damage: wrong fields that say nothing about the samples make no cut file") {
  const std::string data(32000, '\x11');
  for (const unsigned riff : {0U, 100U, 36U + 32000, 44U + 32000, 50000U, 0xFFFFFFFFU}) {
    CAPTURE(riff);
    for (const unsigned bytes_per_s : {0U, 8000U, 32000U, 64000U}) {
      CAPTURE(bytes_per_s);
      std::string bytes = wav_bytes({1, 1, 16000, 16, riff, 32000}, data);
      for (unsigned i = 0; i < 4; ++i) bytes[28 + i] = static_cast<char>(bytes_per_s >> 8 * i);
      const TempFile file(bytes);
      const auto decoded = decode_all(file.input());
      CHECK(decoded.samples.size() == 16000);
      CHECK(decoded.warnings.empty());
      const TempFile cut(bytes.substr(0, 20044));
      REQUIRE(decode_all(cut.input()).warnings.size() == 1);
      CHECK(decode_all(cut.input()).warnings[0] ==
            "expected 32000 bytes of audio by the header, found 20000: the file is cut short");
    }
  }
}

TEST_CASE("damage: no samples are no error") {
  const TempFile wav(wav_bytes({1, 1, 16000, 16, 36, 0}, ""));
  CHECK(decode_all(wav.input()).samples.empty());
  for (const int format : {SF_FORMAT_WAV | SF_FORMAT_FLOAT, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
                           SF_FORMAT_AU | SF_FORMAT_PCM_16}) {
    CAPTURE(format);
    const TempFile file(encode({16000, 1, {}}, format));
    CHECK(decode_all(file.input()).samples.empty());
  }
}
