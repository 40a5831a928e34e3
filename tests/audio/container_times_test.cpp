// Times of sound match those in the film: silence is inserted where the container has no sound.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "audio/read/container_gaps.h"
#include "tests/support/audio_files.h"

using namespace wnpu::audio;
using namespace wnpu::tests;

namespace {

constexpr int kUnsigned8 = 0;  // AV_SAMPLE_FMT_U8
constexpr int kSigned16 = 1;   // AV_SAMPLE_FMT_S16
constexpr int kRate = 16000;
constexpr std::size_t kFrames = 1600;  // in a block: 0.1 s

// Blocks of 0.1 s that begin at given times; every sample is 1.
class Script final : public Decoder {
 public:
  explicit Script(std::vector<std::optional<double>> begin_s, int sample_format = kSigned16)
      : begin_s_(std::move(begin_s)), sample_format_(sample_format) {}

  const PcmInfo& info() const override { return info_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  PcmBlock next() override {
    if (at_ == begin_s_.size()) return {};
    return {{sample_format_, 1, kRate, 0}, kFrames, &plane_, begin_s_[at_++]};
  }

 private:
  std::vector<std::optional<double>> begin_s_;
  int sample_format_;
  std::size_t at_ = 0;
  PcmInfo info_{"script", 1, kRate};
  std::vector<std::uint8_t> ones_ = std::vector<std::uint8_t>(2 * kFrames, 1);
  const std::uint8_t* plane_ = ones_.data();
  std::vector<std::string> warnings_{"of the decoder"};
};

struct Filled {
  std::string tenths;  // "x" for sound, "." for silence, of 0.1 s each
  std::vector<std::string> warnings;
};

Filled filled(std::vector<std::optional<double>> begin_s, GapLimits limits = {3600, 3600, 7200}) {
  const auto decoder = fill_gaps(std::make_unique<Script>(std::move(begin_s)), limits);
  std::string samples;
  for (PcmBlock block = decoder->next(); block.n_frames > 0; block = decoder->next()) {
    const bool is_silent = block.planes[0][0] == 0;
    samples.append(block.n_frames, is_silent ? '.' : 'x');
  }
  Filled all{"", decoder->warnings()};
  for (std::size_t at = kFrames / 2; at < samples.size(); at += kFrames) all.tenths += samples[at];
  return all;
}

bool tells(const Filled& filled, const std::string& words) {
  return std::ranges::any_of(filled.warnings, [&](const std::string& warning) {
    return warning.find(words) != warning.npos;
  });
}

// As many blocks, one behind the other from `begin_s` on.
void append(std::vector<std::optional<double>>& to, double begin_s, int n) {
  for (int i = 0; i < n; ++i) to.emplace_back(begin_s + 0.1 * i);
}

class MadeFilm {
 public:
  MadeFilm(const std::string& words, const std::string& suffix) : file_("", suffix) {
    ffmpeg_output("-y " + words + " " + file_.path().string());
  }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  TempFile file_;
};

constexpr const char* kPicture = "-f lavfi -i testsrc=d=9:s=160x120:r=25 ";
constexpr const char* kNoise = "-f lavfi -i anoisesrc=d=4:r=16000:a=0.1:seed=7 ";

struct FilmRecipe {
  std::string encoder;
  std::string suffix;
};

// Both, the sound `offset` later, by ffmpeg's words.
std::string film_words(const std::string& offset, const std::string& encoder) {
  std::string words = kPicture;
  words += offset;
  words += kNoise;
  words += encoder;
  return words;
}

// Output of an ffmpeg that follows timestamps, the picture's too.
std::string at_its_times(const std::filesystem::path& path) {
  return ffmpeg_output("-i " + path.string() +
                       " -map 0:v -f null /dev/null -map 0:a -af aresample=async=1:first_pts=0"
                       " -ac 1 -ar 16000 -f s16le -");
}

Decoded check_as_ffmpeg_with_times(const std::filesystem::path& path) {
  Decoded decoded = decode_all({path, {}});
  CHECK(same_samples(s16_bytes(decoded.samples), at_its_times(path)));
  Input plain{path, {}};
  plain.container_times = false;
  CHECK(same_samples(s16_bytes(decode_all(plain).samples), ffmpeg_s16(path, "0:a")));
  return decoded;
}

bool has_warning(const Decoded& decoded, const std::string& words) {
  return tells({"", decoded.warnings}, words);
}

}  // namespace

TEST_CASE("container times: silence before late sound, and in gaps; small ones add up") {
  const Filled late = filled({0.5, 0.6});
  CHECK(late.tenths == ".....xx");
  CHECK(tells(late, "from the container's beginning, found it 0.5 s later"));
  CHECK(tells(late, "--container-times False"));
  CHECK(tells(late, "of the decoder"));
  const Filled gaps = filled({0.0, 0.1, 0.5, std::nullopt, 0.9});
  CHECK(gaps.tenths == "xx...xx..x");
  CHECK(tells(gaps, "found 2 by the container's times, 0.5 s together, the first at 0.2 s"));
  CHECK(filled({0.0, 0.16, 0.32, 0.48, 0.64}).tenths.size() == 7);
  CHECK(filled({0.05, 0.15, 0.29}).warnings.size() == 1);
}

TEST_CASE("container times: what overlaps, goes back or begins anew loses no sample") {
  CHECK(filled({0.0, 0.1, 0.05, 0.15, 0.25}).tenths == "xxxxx");
  CHECK(filled({0.0, 0.1, 0.0, 0.1, 0.7}).tenths == "xxxx...x");  // the gap makes up for it
  std::vector<std::optional<double>> joined;
  append(joined, 0, 200);
  append(joined, 0, 3);
  joined.emplace_back(0.6);  // a gap of 0.3 s in the second file
  const Filled filled_join = filled(joined);
  CHECK(filled_join.tenths.size() == 207);
  CHECK(filled_join.tenths.ends_with("xx...x"));
  CHECK(filled_join.warnings.size() == 2);
}

TEST_CASE("container times: a gap that damage made is told, and no silence") {
  const Filled one = filled({0.0, 0.1, 360000.0, 0.3, 0.4});
  CHECK(one.tenths == "xxxxx");
  CHECK(tells(one, "found one 359999.8 s further at 0.2 s"));
  const Filled all = filled({0.0, 360000.0, 360000.1, 360000.2, 360000.6});
  CHECK(all.tenths == "xxxx...x");
  CHECK(filled({360000.0, 360000.1, 360000.2}).tenths == "xxx");
  CHECK(filled({0.0, 0.5}, {3600, 3600, 0.4}).tenths == "xx");  // behind the container's end
  CHECK(filled({0.0, 0.5}, {3600, 0.3, 7200}).tenths == "xx");
}

TEST_CASE("container times: silence of unsigned samples is their middle, in bounded blocks") {
  const auto decoder =
      fill_gaps(std::make_unique<Script>(std::vector<std::optional<double>>{3000.0}, kUnsigned8),
                {3600, 3600, 7200});
  std::size_t n_silent = 0;
  PcmBlock block = decoder->next();
  for (; block.planes[0][0] == 0x80; block = decoder->next()) {
    REQUIRE(block.n_frames <= 4096);
    n_silent += block.n_frames;
  }
  CHECK(n_silent == std::size_t{3000} * kRate);
  CHECK(block.n_frames == kFrames);
}

TEST_CASE("container times: sound that begins late in a film, as ffmpeg's aresample") {
  for (const FilmRecipe& recipe :
       {FilmRecipe{"-c:v mpeg4 -c:a aac", ".mp4"},
        {"-c:v mpeg4 -c:a aac -movflags +frag_keyframe+empty_moov", ".mp4"},
        {"-c:v mpeg4 -c:a pcm_u8", ".mkv"},
        {"-c:v mpeg4 -c:a libopus", ".mkv"},
        {"-c:v flv1 -ar 22050 -c:a libmp3lame", ".flv"},
        {"-c:v msmpeg4 -c:a wmav2", ".wmv"},
        {"-c:v mpeg2video -c:a mp2", ".wtv"},
        {"-c:v mpeg2video -c:a mp2", ".ts"},
        {"-c:v mpeg1video -ar 44100 -c:a mp2", ".mpg"},
        {"-c:v libtheora -c:a libvorbis", ".ogv"}}) {
    CAPTURE(recipe.suffix);
    const MadeFilm late(film_words("-itsoffset 5 ", recipe.encoder), recipe.suffix);
    const Decoded decoded = check_as_ffmpeg_with_times(late.path());
    CHECK(decoded.samples.size() > std::size_t{8} * kRate + kRate / 2);
    CHECK(decoded.warnings.size() == 1);
    const MadeFilm at_once(film_words("", recipe.encoder), recipe.suffix);
    CHECK(decode_all({at_once.path(), {}}).warnings.empty());
    CHECK(same_samples(s16_bytes(decode_all({at_once.path(), {}}).samples),
                       ffmpeg_s16(at_once.path())));
  }
}

TEST_CASE("container times: lost packets are silence") {
  const std::string lost = " -bsf:a \"noise=drop=between(n\\,20\\,40)\"";
  for (const FilmRecipe& recipe : {FilmRecipe{"-c:v mpeg4 -c:a aac", ".mp4"},
                                   {"-c:v mpeg4 -c:a aac", ".mkv"},
                                   {"-c:v mpeg2video -c:a mp2", ".ts"},
                                   {"-vn -c:a aac", ".mka"}}) {
    CAPTURE(recipe.suffix);
    const MadeFilm film(film_words("", recipe.encoder + lost), recipe.suffix);
    const Decoded decoded = decode_all({film.path(), {}});
    CHECK(decoded.samples.size() > std::size_t{4} * kRate - 800);
    CHECK(decoded.samples.size() < std::size_t{4} * kRate + 3200);
    CHECK(has_warning(decoded, "found 1 by the container's times"));
    CHECK_FALSE(has_warning(decoded, "cut short"));
  }
}

TEST_CASE("container times: a stream that begins at 1.4 s, or is two, has no gap") {
  const std::string bytes = ffmpeg_output(film_words("", "-c:v mpeg2video -c:a mp2 -f mpegts -"));
  for (const std::string& film : {bytes, bytes + bytes}) {
    const TempFile file(film, ".ts");
    const Decoded decoded = decode_all(file.input());
    CHECK(decoded.warnings.empty());
    CHECK(same_samples(s16_bytes(decoded.samples), ffmpeg_s16(file.path())));
  }
}
