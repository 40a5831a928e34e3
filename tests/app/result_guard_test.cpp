// Overwriting: a result may replace other results, never a recording.
#include "app/output/result_guard.h"

#include <sstream>

#include <doctest/doctest.h>

#include "app/formats/writers.h"
#include "app/options/exit_code.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::TemporaryFolder;

wnpu::Transcript transcript_of(const std::vector<std::string>& texts) {
  wnpu::Transcript transcript;
  transcript.language = "en";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    wnpu::Segment segment;
    segment.id = i;
    segment.start = static_cast<double>(i);
    segment.end = segment.start + 1;
    segment.text = texts[i];
    transcript.segments.push_back(segment);
  }
  return transcript;
}

}  // namespace

TEST_CASE("result guard: no result of ours is taken for audio, in any format") {
  const TemporaryFolder folder;
  const ResultGuard guard({});
  // Nothing, a line, hours of them, and texts that begin as audio files do.
  for (const wnpu::Transcript& transcript :
       {transcript_of({}), transcript_of({" one"}),
        transcript_of(std::vector<std::string>(3000, " la")), transcript_of({"RIFF....WAVEfmt "}),
        transcript_of({"fLaC"}), transcript_of({"OggS"}), transcript_of({"ID3"}),
        transcript_of({"\xC3\xBF\xC3\xBB\xC2\x90"})}) {
    for (const FormatName& known : kFormats) {
      std::ostringstream text;
      write(known.format, transcript, {}, text);
      const std::vector<std::string> names = {"a." + std::string(known.name), "a.wav"};
      for (const std::string& name : names) {
        CAPTURE(name);
        CAPTURE(text.str().substr(0, 80));
        CHECK_NOTHROW(guard.check(folder.make_file(name, text.str())));
      }
    }
  }
}

TEST_CASE("result guard: audio stays, whatever its name and however short") {
  const TemporaryFolder folder;
  const ResultGuard guard({});
  const std::string wav = wnpu::tests::wav_of_tone(1);
  for (const std::string& bytes : {wav, wav.substr(0, 1000), wav.substr(0, 46)}) {
    for (const char* name : {"a.wav", "a.txt", "a.json", "a"}) {
      CHECK_THROWS_WITH_AS(guard.check(folder.make_file(name, bytes)),
                           doctest::Contains("found audio, which no result replaces"), OutputError);
    }
  }
}

TEST_CASE("result guard: an input is known by any name") {
  const TemporaryFolder folder;
  const auto input = folder.make_file("a.bin", "no audio at all");
  std::filesystem::create_symlink("a.bin", folder.path() / "link");
  std::filesystem::create_hard_link(input, folder.path() / "hard");
  const std::vector<std::string> inputs = {input, "-", folder.path() / "missing"};
  const ResultGuard guard(inputs);
  for (const auto& path :
       {input, folder.path() / "link", folder.path() / "hard", folder.path() / "." / "a.bin"}) {
    CHECK_THROWS_AS(guard.check(path), UsageError);
  }
  CHECK_NOTHROW(guard.check(folder.path() / "missing"));
}
