// A stream gives a file's samples, however its bytes come.
#include "audio/read/stream_decoder.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <sndfile.h>

#include "audio/read/error.h"
#include "tests/support/audio_files.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::audio;
using namespace wnpu::tests;

namespace {

// `bytes` in pieces of at most `most`, of random size where that is more than one.
ByteSource pieces_of(std::string bytes, std::size_t most, unsigned seed = 1) {
  return [bytes = std::move(bytes), most, rng = std::mt19937(seed),
          at = std::size_t{0}](std::span<std::byte> out) mutable {
    const std::size_t wanted = std::uniform_int_distribution<std::size_t>(1, most)(rng);
    const std::size_t n = std::min({wanted, bytes.size() - at, out.size()});
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::byte>(bytes[at + i]);
    at += n;
    return n;
  };
}

Decoded streamed(const std::string& bytes, std::size_t most,
                 const std::optional<RawFormat>& format = {}) {
  const auto reader = open_pcm_stream(pieces_of(bytes, most), format, "stdin");
  Decoded decoded;
  std::array<float, 333> block;
  while (const std::size_t n = reader->read(block))
    decoded.samples.insert(decoded.samples.end(), block.begin(),
                           block.begin() + static_cast<std::ptrdiff_t>(n));
  decoded.warnings = reader->warnings();
  return decoded;
}

Decoded from_file(const std::string& bytes, const std::optional<RawFormat>& format = {}) {
  const TempFile file(bytes, ".wav");
  return decode_all({file.path(), format});
}

Sound steady_noise(int sample_rate, int channels, std::size_t frames) {
  return {sample_rate, channels,
          random_vector(frames * static_cast<std::size_t>(channels), 7, 0.9)};
}

std::string refusal(const std::string& bytes) {
  return audio_error_of([&] { streamed(bytes, 100); });
}

}  // namespace

TEST_CASE("stream decoder: WAVs of every type, rate and number of channels, as from a file") {
  const std::array types = {SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32,
                            SF_FORMAT_FLOAT,  SF_FORMAT_DOUBLE, SF_FORMAT_ULAW,   SF_FORMAT_ALAW};
  for (const int type : types) {
    for (const int rate : {16000, 8000, 22050, 44100, 48000}) {
      for (const int channels : {1, 2}) {
        CAPTURE(type);
        CAPTURE(rate);
        CAPTURE(channels);
        const std::string bytes = encode(steady_noise(rate, channels, 6000), SF_FORMAT_WAV | type);
        const std::string expected = s16_bytes(from_file(bytes).samples);
        REQUIRE(!expected.empty());
        CHECK(same_samples(s16_bytes(streamed(bytes, 5000).samples), expected));
        if (type != SF_FORMAT_PCM_24) continue;
        CHECK(same_samples(s16_bytes(streamed(bytes, 1).samples), expected));
      }
    }
  }
}

TEST_CASE("stream decoder: channels with names are mixed as those of a file") {
  const std::array<int, 6> layout = {SF_CHANNEL_MAP_LEFT,      SF_CHANNEL_MAP_RIGHT,
                                     SF_CHANNEL_MAP_CENTER,    SF_CHANNEL_MAP_LFE,
                                     SF_CHANNEL_MAP_REAR_LEFT, SF_CHANNEL_MAP_REAR_RIGHT};
  const std::string bytes =
      encode(steady_noise(48000, 6, 5000), SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, layout);
  CHECK(streamed(bytes, 777).samples == from_file(bytes).samples);
}

TEST_CASE("stream decoder: raw samples, as from a file, in pieces across samples' borders") {
  const std::string bytes = s16_bytes(random_vector(20000, 3, 0.9));
  for (const char* const spec : {"s16le:16000:1", "s16be:44100:2", "u8:8000:1", "s24le:48000:1",
                                 "s32be:22050:3", "s8:16000:1"}) {
    CAPTURE(spec);
    const RawFormat format = parse_raw_format(spec);
    const auto expected = from_file(bytes, format);
    for (const std::size_t most : {1U, 3U, 1000U, 100000U}) {
      const Decoded decoded = streamed(bytes, most, format);
      CHECK(decoded.samples == expected.samples);
      CHECK(decoded.warnings == expected.warnings);
    }
  }
}

TEST_CASE("stream decoder: samples come before the ones behind them are there") {
  std::size_t n_given = 0;
  const auto source = [&](std::span<std::byte> out) {
    const std::size_t n = std::min<std::size_t>(out.size(), 200);
    std::ranges::fill(out.first(n), std::byte{0});
    n_given += n;
    return n;
  };
  const auto reader = open_pcm_stream(source, parse_raw_format("s16le:16000:1"), "stdin");
  std::array<float, 5000> block;
  CHECK(reader->read(block) == 100);
  CHECK(n_given == 200);
}

TEST_CASE("stream decoder: a WAV that does not know its length goes on to the end") {
  const std::string data = s16_bytes(random_vector(5000, 3, 0.9));
  for (const unsigned size : {0U, 0xFFFFFFFFU, 0x7FFFF000U}) {
    WavHeader header;
    header.data_bytes = size;
    const Decoded decoded = streamed(wav_bytes(header, data), 900);
    CHECK(decoded.samples.size() == 5000);
    CHECK(decoded.warnings.empty());
  }
}

TEST_CASE("stream decoder: a WAV of sox, whose unknown length is of whole frames, goes on") {
  for (const unsigned channels : {1U, 2U, 3U, 6U}) {
    for (const unsigned bits : {16U, 24U, 32U}) {
      WavHeader header{1, channels, 16000, bits};
      const unsigned frame = channels * bits / 8;
      header.data_bytes = 0x7FFFF000 / frame * frame;
      const Decoded decoded = streamed(wav_bytes(header, std::string(500UL * frame, '\x11')), 900);
      CHECK(decoded.samples.size() == 500);
      CHECK(decoded.warnings.empty());
    }
  }
}

TEST_CASE("stream decoder: RF64, whose length is in its first chunk, or is not known") {
  const std::string wav = encode(steady_noise(16000, 1, 5000), SF_FORMAT_RF64 | SF_FORMAT_PCM_16);
  const std::string sound = wav.substr(0, wav.find("data") + 8 + 10000);
  CHECK(streamed(sound + "LIST more", 900).samples == from_file(sound).samples);
  const Decoded cut = streamed(sound.substr(0, sound.size() - 2000), 900);
  CHECK(cut.samples.size() == 4000);
  REQUIRE(cut.warnings.size() == 1);
  CHECK(cut.warnings[0] == "expected 10000 bytes of samples by the header, found 8000");
  std::string unknown = sound;
  unknown.replace(28, 8, std::string(8, '\0'));  // as ffmpeg writes it to a pipe
  unknown.replace(unknown.find("data") + 4, 4, "\xff\xff\xff\xff");
  CHECK(streamed(unknown, 900).samples.size() == 5000);
  CHECK(streamed(unknown, 900).warnings.empty());
}

TEST_CASE("stream decoder: who stops it is not told that samples lack") {
  WavHeader header;
  header.data_bytes = 20000;
  auto pieces = pieces_of(wav_bytes(header, std::string(10001, '\x11')), 900);
  const auto source = [&](std::span<std::byte> out) {
    const std::size_t n = pieces(out);
    return n == 0 ? kStopped : n;
  };
  const auto reader = open_pcm_stream(source, {}, "stdin");
  std::array<float, 10000> samples;
  std::size_t n_samples = 0;
  while (const std::size_t n = reader->read(samples)) n_samples += n;
  CHECK(n_samples == 5000);
  CHECK(reader->warnings().empty());
  const auto stopped = [](std::span<std::byte>) { return kStopped; };
  CHECK_FALSE(audio_error_of([&] { open_pcm_stream(stopped, {}, "stdin"); }).empty());
}

TEST_CASE("stream decoder: what is behind a WAV's samples is not heard, what lacks is told") {
  const std::string data = s16_bytes(random_vector(5000, 3, 0.9));
  WavHeader header;
  header.data_bytes = 10000;
  CHECK(streamed(wav_bytes(header, data) + "LIST more", 900).samples.size() == 5000);
  header.data_bytes = 20000;
  const Decoded cut = streamed(wav_bytes(header, data), 900);
  CHECK(cut.samples.size() == 5000);
  REQUIRE(cut.warnings.size() == 1);
  CHECK(cut.warnings[0] == "expected 20000 bytes of samples by the header, found 10000");
}

TEST_CASE("stream decoder: what cannot be had as it comes is refused, with what to do") {
  CHECK(refusal("fLaC0000").find("found bytes 664c6143: of other formats") != std::string::npos);
  CHECK(refusal("fLaC0000").find("ffmpeg -i -") != std::string::npos);
  CHECK(refusal("").find("found: the end after 0 bytes") == std::string::npos);
  CHECK(refusal("").find("expected a WAV header, found the end after 0 bytes") !=
        std::string::npos);
  CHECK(refusal("RIFF0000AVI ").find("another kind") != std::string::npos);
  WavHeader header;
  header.format_tag = 2;  // Microsoft's ADPCM
  header.bits = 4;
  CHECK(refusal(wav_bytes(header, "x")).find("found type 2 of 4 bits") != std::string::npos);
  CHECK(refusal(wav_bytes(header, "x")).find("ffmpeg -i -") != std::string::npos);
  header = {};
  header.channels = 0;
  CHECK(refusal(wav_bytes(header, "x")).find("channel") != std::string::npos);
  header = {};
  header.sample_rate = 4000000000U;
  CHECK(!refusal(wav_bytes(header, "x")).empty());
  const std::string whole = wav_bytes({}, "");
  for (std::size_t n = 0; n < whole.size(); ++n) CHECK(!refusal(whole.substr(0, n)).empty());
}

TEST_CASE("stream decoder: samples that are no numbers are refused, as in a file") {
  const std::string nan("\x00\x00\xc0\x7f", 4);
  const auto read = [&] { streamed(nan, 100, parse_raw_format("f32le:16000:1")); };
  CHECK(audio_error_of(read).find("expected finite samples") != std::string::npos);
}
