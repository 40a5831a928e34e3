// Recordings as openai-whisper hears them: those of tests/data, and the corpus beside the source
// tree, real files of many makers.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/system/sha256.h"
#include "tests/few_samples.h"
#include "tests/support/audio_files.h"
#include "tests/support/real_speech.h"
#include "tests/support/shared_data.h"

using namespace wnpu::tests;

namespace {

// Samples as openai-whisper gets them from ffmpeg: by the golden, which was made on x86-64, and
// elsewhere by this machine's ffmpeg.
void check_samples(const std::filesystem::path& recording, const nlohmann::json& golden) {
  const std::string samples = s16_bytes(decode_all({recording, {}}, 16000).samples);
#ifdef __x86_64__
  CHECK(wnpu::app::sha256_of_file(TempFile(samples).path()) == golden["pcm_s16le_sha256"]);
#else
  CHECK(golden.contains("pcm_s16le_sha256"));
  CHECK(same_samples(samples, ffmpeg_s16(recording)));
#endif
}

}  // namespace

TEST_CASE("recordings: every file gives ffmpeg's 16 kHz samples bit for bit") {
  std::size_t compared = 0;
  for (const std::string folder : {"recordings", "sounds"}) {
    for (const auto& recording : data_files(folder)) {
      const std::string name = recording.filename();
      if (name == "manifest.tsv") continue;
      CAPTURE(name);
      const auto golden = data_json("transcripts/" + name + ".json");
      check_samples(recording, golden);
      ++compared;
    }
  }
  CHECK(compared == 11);
}

TEST_CASE("corpus: every file gives ffmpeg's 16 kHz samples bit for bit, or is refused as there") {
  const auto corpus = shared_file("corpus");
  if (!corpus) return;
  const auto goldens = corpus->parent_path() / "golden/transcripts";
  std::size_t n_files = 0;
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(goldens)) {
    const auto audio = *corpus / entry.path().stem();
    if (entry.path().extension() != ".json" || !std::filesystem::exists(audio)) continue;
    if (n_files++ % kSampleShare != 0) continue;
    CAPTURE(audio.string());
    const auto golden = nlohmann::json::parse(std::ifstream(entry.path()));
    if (golden.contains("error")) {
      CHECK(!audio_error_of([&] { decode_all({audio, {}}, 16000); }).empty());
    } else {
      check_samples(audio, golden);
    }
    ++compared;
  }
  CHECK(compared > 50 / kSampleShare);
}
