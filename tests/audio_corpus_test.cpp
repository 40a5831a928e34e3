// The corpus beside the source tree: real files of many makers, against ffmpeg's sample counts.
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/audio_files.h"
#include "tests/shared_data.h"

using namespace wnpu::tests;

TEST_CASE("corpus: every file has as many 16 kHz samples as ffmpeg finds, or is refused as there") {
  const auto goldens = shared_file("golden/transcripts");
  const auto corpus = shared_file("corpus");
  if (!goldens || !corpus) return;
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*goldens)) {
    const auto audio = *corpus / entry.path().stem();
    if (entry.path().extension() != ".json" || !std::filesystem::exists(audio)) continue;
    CAPTURE(audio.string());
    const auto golden = nlohmann::json::parse(std::ifstream(entry.path()));
    std::size_t samples = 0;
    const std::string message = audio_error_of([&] {
      samples = decode_all({audio, {}}, 16000).samples.size();
    });
    CHECK(message.empty() == !golden.contains("error"));
    // One sample: libswresample rounds a resampled length up now and then.
    const long expected = golden.value("samples_16k", 0L);
    CHECK(std::abs(static_cast<long>(samples) - expected) <= 1);
    ++compared;
  }
  CHECK(compared > 50);
}
