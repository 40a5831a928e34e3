// The corpus beside the source tree: real files of many makers, as openai-whisper hears them.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/sha256.h"
#include "tests/audio_files.h"
#include "tests/shared_data.h"

using namespace wnpu::tests;

TEST_CASE("corpus: every file gives ffmpeg's 16 kHz samples bit for bit, or is refused as there") {
  const auto goldens = shared_file("golden/transcripts");
  const auto corpus = shared_file("corpus");
  if (!goldens || !corpus) return;
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*goldens)) {
    const auto audio = *corpus / entry.path().stem();
    if (entry.path().extension() != ".json" || !std::filesystem::exists(audio)) continue;
    CAPTURE(audio.string());
    const auto golden = nlohmann::json::parse(std::ifstream(entry.path()));
    std::string samples;
    const std::string message = audio_error_of([&] {
      samples = s16_bytes(decode_all({audio, {}}, 16000).samples);
    });
    CHECK(message.empty() == !golden.contains("error"));
    if (!golden.contains("error")) {
      const TempFile raw(samples);
      CHECK(wnpu::app::sha256_of_file(raw.path()) == golden["pcm_s16le_sha256"]);
    }
    ++compared;
  }
  CHECK(compared > 50);
}
