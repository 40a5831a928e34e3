// Files of the containers and codecs that people have: what comes out is what
// `ffmpeg -ac 1 -ar 16000 -f s16le` makes of them, and "cut short" is said of a cut file alone.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <sndfile.h>

#include "tests/support/audio_files.h"

using namespace wnpu::tests;
using wnpu::audio::Input;

namespace {

struct Recipe {
  const char* encoder;  // ffmpeg's words
  const char* suffix;
};

constexpr const char* kTone = "-f lavfi -i sine=440:r=16000:d=2 ";

// File that ffmpeg writes by itself: to a pipe it leaves lengths open.
class MadeFile {
 public:
  MadeFile(const std::string& words, const std::string& suffix) : file_("", suffix) {
    ffmpeg_output("-y " + words + " " + file_.path().string());
  }
  const std::filesystem::path& path() const { return file_.path(); }
  std::string bytes() const {
    std::ifstream stream(file_.path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

 private:
  TempFile file_;
};

bool tells_cut(const Decoded& decoded) {
  return std::ranges::any_of(decoded.warnings, [](const std::string& warning) {
    return warning.find("cut short") != warning.npos;
  });
}

Decoded check_as_ffmpeg(const std::filesystem::path& path) {
  const Decoded decoded = decode_all({path, {}});
  CHECK(!decoded.samples.empty());
  CHECK(same_samples(s16_bytes(decoded.samples), ffmpeg_s16(path)));
  return decoded;
}

void check_sound_file(const Recipe& recipe) {
  CAPTURE(std::string(recipe.encoder));
  CAPTURE(std::string(recipe.suffix));
  const MadeFile file(kTone + std::string(recipe.encoder), recipe.suffix);
  CHECK(check_as_ffmpeg(file.path()).warnings.empty());
}

// Without its last third.
bool tells_cut_of(const std::string& bytes, const std::string& suffix) {
  const TempFile cut(bytes.substr(0, bytes.size() * 2 / 3), suffix);
  return tells_cut(decode_all(cut.input()));
}

// An Ogg without its pages from `first` to before `end`.
std::string without_pages(const std::string& ogg, int first, int end) {
  std::size_t from = 0;
  std::size_t to = 0;
  for (int i = 0; i < first; ++i) from = ogg.find("OggS", from + 1);
  for (int i = 0; i < end; ++i) to = ogg.find("OggS", to + 1);
  REQUIRE(to != ogg.npos);
  return ogg.substr(0, from) + ogg.substr(to);
}

long peak_kb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// By how much a process' memory grows, at its peak, when it decodes the file; below 0 where it
// cannot.
int grown_mb(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const long before = peak_kb();
    const bool is_decoded = !decode_all({path, {}}).samples.empty();
    const long grown = (peak_kb() - before) / 1024;
    ::_exit(is_decoded ? static_cast<int>(std::min(grown, 254L)) : 255);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("containers: every type of sample in a W64, plain and extensible") {
  for (const Recipe& recipe : {Recipe{"-c:a pcm_s16le", ".w64"},
                               {"-c:a pcm_s24le", ".w64"},
                               {"-c:a pcm_f32le", ".w64"},
                               {"-c:a pcm_f64le", ".w64"},
                               {"-c:a pcm_alaw -ar 96000", ".w64"},
                               {"-c:a pcm_mulaw -ac 2", ".w64"},
                               {"-c:a adpcm_ms", ".w64"}}) {
    check_sound_file(recipe);
  }
}

TEST_CASE("containers: compressed sound in a WAV or AIFF") {
  for (const Recipe& recipe : {Recipe{"-c:a libmp3lame", ".wav"},
                               {"-c:a adpcm_ima_wav", ".wav"},
                               {"-c:a adpcm_ms -ar 8000", ".wav"},
                               {"-c:a adpcm_ima_qt", ".aiff"}}) {
    check_sound_file(recipe);
  }
}

TEST_CASE("containers: a damaged MP3 in a WAV loses what is damaged, no more") {
  const MadeFile whole("-f lavfi -i anoisesrc=d=4:r=16000 -c:a libmp3lame", ".wav");
  std::string bytes = whole.bytes();
  bytes.replace(bytes.size() / 2, 1000, std::string(1000, '\x55'));
  const TempFile damaged(bytes, ".wav");
  CHECK(check_as_ffmpeg(damaged.path()).samples.size() > 48000);
}

TEST_CASE("containers: what libav has no decoder for, or takes for another, is libsndfile's") {
  const Sound sound = sine(8000, 1, 300, 2.0);
  for (const int format : {SF_FORMAT_WAV | SF_FORMAT_NMS_ADPCM_16,
                           SF_FORMAT_AIFF | SF_FORMAT_DWVW_16, SF_FORMAT_AIFF | SF_FORMAT_GSM610}) {
    CAPTURE(format);
    const TempFile file(encode(sound, format));
    const Decoded decoded = decode_all(file.input());
    CHECK(decoded.samples.size() == 32000);
    CHECK(decoded.warnings.empty());
  }
}

TEST_CASE("containers: every format that holds sound by itself") {
  const std::string film = "-f lavfi -i testsrc=d=2:s=720x576:r=25 -ar 48000 -c:v mpeg2video -c:a ";
  for (const Recipe& recipe : {Recipe{"", ".sox"},
                               {"-f ircam", ".sf"},
                               {"-c:a g722", ".g722"},
                               {"", ".sbc"},
                               {"-ac 2 -ar 48000 -f aptx", ".aptx"},
                               {"", ".adx"},
                               {"-ar 8000", ".mmf"},
                               {"-ar 8000", ".rso"},
                               {"-ac 2", ".ast"},
                               {"-ar 48000 -strict -2 -c:a truehd", ".thd"},
                               {"-ar 48000 -strict -2 -c:a mlp", ".mlp"}}) {
    check_sound_file(recipe);
  }
  check_sound_file({"-f lavfi -i testsrc=d=2:r=25 -target pal-dv", ".dv"});
  check_sound_file({(film + "pcm_s16le").c_str(), ".gxf"});
  check_sound_file({(film + "mp2").c_str(), ".wtv"});
}

TEST_CASE("containers: a video longer than its sound, and sound that begins late, are whole") {
  constexpr const char* kVideo = "-f lavfi -i testsrc=d=6:s=160x120:r=25 ";
  for (const Recipe& recipe : {Recipe{"-c:v mpeg4 -c:a aac", ".mp4"},
                               {"-c:v mpeg4 -c:a aac", ".mkv"},
                               {"-c:v mpeg4 -c:a libmp3lame", ".avi"},
                               {"-c:v flv1 -ar 22050 -c:a libmp3lame", ".flv"},
                               {"-c:v msmpeg4 -c:a wmav2", ".wma"},
                               {"-c:v mpeg2video -c:a mp2", ".wtv"}}) {
    CAPTURE(std::string(recipe.suffix));
    for (const char* sound : {"", "-itsoffset 3 "}) {
      const MadeFile file(std::string(kVideo) + sound + kTone + recipe.encoder, recipe.suffix);
      Input input{file.path(), {}};
      input.container_times = false;
      const Decoded decoded = decode_all(input);
      CHECK(same_samples(s16_bytes(decoded.samples), ffmpeg_s16(file.path())));
      CHECK(decoded.warnings.empty());
    }
  }
}

TEST_CASE("containers: of two tracks the shorter one is whole") {
  const std::string tracks =
      "-f lavfi -i sine=440:r=16000:d=2 -f lavfi -i sine=550:r=16000:d=6 -map 0 -map 1 -c:a aac";
  for (const char* suffix : {".mp4", ".mka"}) {
    const MadeFile file(tracks, suffix);
    for (const std::size_t track : {0U, 1U}) {
      const Decoded decoded = decode_all({file.path(), {}, track});
      CHECK(decoded.samples.size() >= (track == 0 ? 32000U : 96000U));
      CHECK(decoded.warnings.empty());
    }
  }
}

TEST_CASE("containers: a chained Ogg is whole, and one that lacks pages is not") {
  const std::string tone = "-f lavfi -i sine=440:r=16000:d=";
  const std::string first = MadeFile(tone + "3 -c:a libvorbis", ".ogg").bytes();
  const std::string faster = MadeFile(tone + "5 -ac 2 -ar 44100 -c:a libvorbis", ".ogg").bytes();
  const std::string opus = MadeFile(tone + "9 -c:a libopus", ".opus").bytes();
  const std::string low_delay =
      MadeFile(tone + "5 -c:a libopus -application lowdelay", ".opus").bytes();
  const std::string live = without_pages(opus, 2, 7);  // as a station's, joined late
  for (const std::string& chain :
       {first + faster, faster + first + faster, first + first, opus + low_delay,
        low_delay + opus + low_delay, low_delay + live}) {
    const TempFile file(chain, ".ogg");
    CHECK(check_as_ffmpeg(file.path()).warnings.empty());
  }
  const TempFile file(without_pages(opus, 5, 7), ".opus");
  Input input = file.input();
  input.container_times = false;
  CHECK(tells_cut(decode_all(input)));
  CHECK(decode_all(file.input()).samples.size() == 144000);
}

TEST_CASE("containers: a cut video is told") {
  const std::string video = "-f lavfi -i testsrc=d=6:s=160x120:r=25 -f lavfi -i sine=r=22050:d=6 ";
  for (const Recipe& recipe : {Recipe{"-c:v mpeg4 -c:a aac -movflags +faststart", ".mp4"},
                               {"-c:v mpeg4 -c:a aac", ".mkv"},
                               {"-c:v flv1 -c:a libmp3lame", ".flv"}}) {
    CAPTURE(std::string(recipe.suffix));
    CHECK(tells_cut_of(MadeFile(video + recipe.encoder, recipe.suffix).bytes(), recipe.suffix));
  }
}

TEST_CASE("containers: a cut WAV, W64, RF64, AIFF or AU is told, whoever decodes it") {
  for (const Recipe& recipe : {Recipe{"", ".wav"},
                               {"-ac 6", ".wav"},
                               {"-c:a adpcm_ms", ".wav"},
                               {"", ".w64"},
                               {"-c:a pcm_f32le", ".w64"},
                               {"-rf64 always", ".wav"},
                               {"", ".aiff"},
                               {"", ".au"}}) {
    CAPTURE(std::string(recipe.encoder));
    CAPTURE(std::string(recipe.suffix));
    const MadeFile file(kTone + std::string(recipe.encoder), recipe.suffix);
    CHECK(tells_cut_of(file.bytes(), recipe.suffix));
  }
}

TEST_CASE("libav: a cover is not decoded, whatever its size") {
  const MadeFile file(
      "-f lavfi -i sine=440:r=16000:d=2 -f lavfi -i color=red:s=8000x8000:r=25:d=0.04 "
      "-map 0 -map 1 -frames:v 1 -c:a libmp3lame -c:v png -disposition:v attached_pic",
      ".mp3");
  const int grown = grown_mb(file.path());
  CHECK(grown >= 0);
  CHECK(grown < 120);  // the picture alone would be 192 MB
}
