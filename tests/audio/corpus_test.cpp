// Recordings as openai-whisper hears them: those of tests/data, and the corpus beside the source
// tree, real files of many makers.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/batch/sha256.h"
#include "tests/few_samples.h"
#include "tests/support/audio_files.h"
#include "tests/support/real_speech.h"
#include "tests/support/shared_data.h"

using namespace wnpu::tests;

namespace {

// Of 16-bit samples, as openai-whisper gets them from ffmpeg.
std::string sha256_of(const std::vector<float>& samples) {
  return wnpu::app::sha256_of_file(TempFile(s16_bytes(samples)).path());
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
      CHECK(sha256_of(decode_all({recording, {}}, 16000).samples) == golden["pcm_s16le_sha256"]);
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
    std::string sha256;
    const std::string message = audio_error_of([&] {
      sha256 = sha256_of(decode_all({audio, {}}, 16000).samples);
    });
    CHECK(message.empty() == !golden.contains("error"));
    if (!golden.contains("error")) CHECK(sha256 == golden["pcm_s16le_sha256"]);
    ++compared;
  }
  CHECK(compared > 50 / kSampleShare);
}
