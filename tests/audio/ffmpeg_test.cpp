// Files that change, lack their beginning or hold several tracks: what comes out is what
// `ffmpeg -ac 1 -ar 16000 -f s16le` makes of them.
#include <array>
#include <cstdlib>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "tests/few_samples.h"
#include "tests/support/audio_files.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::tests;
using wnpu::audio::RawFormat;

namespace {

// One second of a tone as ffmpeg encodes it.
std::string tone(int sample_rate, int channels, const std::string& encoder) {
  return ffmpeg_output("-f lavfi -i sine=440:r=" + std::to_string(sample_rate) + ":d=1 -ac " +
                       std::to_string(channels) + " " + encoder + " -");
}

// From the middle of a packet on.
std::string without_first_quarter(const std::string& bytes) {
  return bytes.substr(bytes.size() / 4);
}

void check_like_ffmpeg(const std::string& bytes, const std::string& suffix) {
  const TempFile file(bytes, suffix);
  const std::string ours = s16_bytes(decode_all(file.input()).samples);
  const std::string theirs = ffmpeg_s16(file.path());
  CHECK(ours.size() / 2 == theirs.size() / 2);
  CHECK(same_samples(ours, theirs));
}

}  // namespace

TEST_CASE("ffmpeg: joined files of other rates and channels go on") {
  struct Case {
    const char* encoder;
    const char* suffix;
  };
  constexpr std::array kCases{Case{"-f mp3", ".mp3"},
                              Case{"-c:a aac -f adts", ".aac"},
                              Case{"-c:a libvorbis -f ogg", ".ogg"},
                              Case{"-c:a libopus -ar 48000 -f ogg", ".opus"},
                              Case{"-f flac", ".flac"},
                              Case{"-f ac3", ".ac3"}};
  for (const Case& c : some_of(kCases)) {
    CAPTURE(std::string(c.suffix));
    const std::string mono = tone(44100, 1, c.encoder);
    const std::string stereo = tone(44100, 2, c.encoder);
    const std::string other_rate = tone(32000, 2, c.encoder);
    check_like_ffmpeg(mono + other_rate, c.suffix);
    check_like_ffmpeg(other_rate + stereo + mono, c.suffix);
  }
}

TEST_CASE("ffmpeg: joined transport streams go on, to the frame") {
  const std::string encoder = "-c:a mp2 -f mpegts";
  const TempFile file(tone(44100, 1, encoder) + tone(32000, 1, encoder), ".ts");
  const std::string ours = s16_bytes(decode_all(file.input()).samples);
  // The program gives the first frame after a change the rate before it: 1152 samples.
  CHECK(std::abs(std::ssize(ours) - std::ssize(ffmpeg_s16(file.path()))) <= 2 * 576);
  CHECK(ours.size() > 2 * 32000);
}

TEST_CASE("ffmpeg: a file without its first quarter gives the rest, where its format allows") {
  check_like_ffmpeg(without_first_quarter(tone(44100, 2, "-f flac")), ".flac");
  check_like_ffmpeg(without_first_quarter(tone(16000, 1, "-f flac")), ".flac");
  check_like_ffmpeg(without_first_quarter(tone(48000, 2, "-strict -2 -f dts")), ".dts");
  check_like_ffmpeg(without_first_quarter(tone(44100, 2, "-f mp3")), ".mp3");
  check_like_ffmpeg(without_first_quarter(tone(44100, 2, "-f ac3")), ".ac3");
  check_like_ffmpeg(without_first_quarter(tone(44100, 2, "-c:a aac -f adts")), ".aac");
}

TEST_CASE("ffmpeg: of several audio tracks its choice, with a warning, or the one asked for") {
  const std::string tracks =
      "-f lavfi -i sine=330:r=16000:d=1 -f lavfi -i sine=440:r=44100:d=1 "
      "-f lavfi -i sine=550:r=16000:d=1 -map 0 -map 1 -map 2 -ac:a:0 1 -ac:a:1 2 -ac:a:2 1 "
      "-c:a flac -f matroska ";
  for (const std::string disposition :
       {"", "-disposition:a:0 0 ", "-disposition:a:0 0 -disposition:a:2 default "}) {
    CAPTURE(disposition);
    const TempFile file(ffmpeg_output(tracks + disposition + "-"), ".mkv");
    const auto decoded = decode_all(file.input());
    CHECK(same_samples(s16_bytes(decoded.samples), ffmpeg_s16(file.path())));
    REQUIRE(decoded.warnings.size() == 1);
    CHECK(decoded.warnings[0].find("3 audio tracks") != std::string::npos);
    for (std::size_t track = 0; track < 3; ++track) {
      const auto one = decode_all({file.path(), {}, track});
      CHECK(same_samples(s16_bytes(one.samples),
                         ffmpeg_s16(file.path(), "0:a:" + std::to_string(track))));
      CHECK(one.warnings.empty());
    }
    CHECK(audio_error_of([&] {
            decode_all({file.path(), {}, 3});
          }).ends_with(": expected audio track 3, found tracks 0 to 2"));
  }
}

TEST_CASE("ffmpeg: a file of one track has the track 0 alone") {
  const TempFile wav(ffmpeg_output("-f lavfi -i sine=440:r=16000:d=1 -f wav -"), ".wav");
  const TempFile mp3(tone(44100, 2, "-f mp3"), ".mp3");
  for (const auto& path : {wav.path(), mp3.path()}) {
    CHECK(decode_all({path, {}, 0}).samples.size() >= 16000);
    CHECK(audio_error_of([&] {
            decode_all({path, {}, 1});
          }).ends_with(": expected audio track 1, found track 0 alone"));
  }
  CHECK_FALSE(audio_error_of([&] { decode_all({wav.path(), RawFormat{}, 1}); }).empty());
}

TEST_CASE("ffmpeg: floats that need no filter are rounded and cut off as ffmpeg does") {
  std::vector<float> samples = random_vector(20001, 8, 0.5);
  for (int i = -70000; i <= 70000; i += 7) {  // halves, which are rounded to the even one
    samples.push_back(static_cast<float>(i) * 0x1p-16F);
  }
  for (const float loud : {1.0F, -1.0F, 1.5F, -1.5F, 3.9F, 0x1.fffep-1F, 0x1.ffffp-1F, 1e-30F}) {
    samples.push_back(loud);
  }
  const std::string bytes(reinterpret_cast<const char*>(samples.data()), samples.size() * 4);
  const TempFile raw(bytes, ".f32");
  const auto raw_format = wnpu::audio::parse_raw_format("f32le:16000:1");
  const std::string ours = s16_bytes(decode_all({raw.path(), raw_format}).samples);
  const std::string theirs =
      ffmpeg_output("-f f32le -ar 16000 -ac 1 -i " + raw.path().string() + " -f s16le -");
  CHECK(ours.size() == 2 * samples.size());
  CHECK(same_samples(ours, theirs));
}

TEST_CASE("ffmpeg: raw mu-law and A-law, of every code") {
  std::string codes;
  for (int code = 0; code < 256; ++code) codes += static_cast<char>(code);
  const TempFile raw(codes, ".raw");
  for (const std::string law : {"mulaw", "alaw"}) {
    const auto format = wnpu::audio::parse_raw_format(law + ":16000:1");
    CHECK((
        s16_bytes(decode_all({raw.path(), format}).samples) ==
        ffmpeg_output("-f " + law + " -ar 16000 -ac 1 -i " + raw.path().string() + " -f s16le -")));
  }
}

TEST_CASE("ffmpeg: a name does not make a text or noise a sound") {
  std::string noise;
  Random random(3);
  for (int i = 0; i < 50000; ++i) noise += static_cast<char>(random.uniform() * 127);
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "A text, not a sound.\n";
  for (const char* suffix :
       {".flac", ".dts", ".mp3", ".aac", ".ac3", ".ogg", ".m4a", ".wma", ".ts"}) {
    for (const std::string& bytes : {noise, text}) {
      CAPTURE(std::string(suffix));
      const TempFile file(bytes, suffix);
      CHECK(audio_error_of([&] { decode_all(file.input()); }).find("expected audio, found") !=
            std::string::npos);
    }
  }
}
