// The JSON of the command's defaults, field by field, against openai-whisper's segments.
#include <cmath>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/transcriber.h"
#include "app/writers.h"
#include "tests/shared_data.h"
#include "tests/tiny_en.h"
#include "tests/tolerances.h"

using namespace wnpu;  // NOLINT
using nlohmann::json;

namespace {

json our_json(app::Recognizer& recognizer, const std::filesystem::path& recording) {
  const auto found =
      app::Transcriber(recognizer, app::TranscribeOptions{}).transcribe({recording, {}}, {});
  std::ostringstream out;
  app::write(app::Format::json, found, {}, out);
  return json::parse(out.str());
}

bool is_near(const json& a, const json& b, double tolerance) {
  return std::abs(a.get<double>() - b.get<double>()) <= tolerance;
}

void compare_segment(const json& ours, const json& openai) {
  for (const char* field : {"id", "seek", "text", "tokens", "temperature"}) {
    CAPTURE(field);
    CHECK(ours.at(field) == openai.at(field));
  }
  // The same arithmetic on the same integers, but for the order of additions.
  for (const char* field : {"start", "end", "compression_ratio"}) {
    CAPTURE(field);
    CHECK(is_near(ours.at(field), openai.at(field), 1e-9));
  }
  CHECK(is_near(ours.at("avg_logprob"), openai.at("avg_logprob"), tests::tolerance::kAvgLogprob));
  CHECK(is_near(ours.at("no_speech_prob"), openai.at("no_speech_prob"),
                tests::tolerance::kNoSpeechProbability));
  for (const auto& [field, value] : openai.items()) CHECK(ours.contains(field));
}

}  // namespace

TEST_CASE("json: with default options every field of a segment is openai-whisper's") {
  const auto tiny_en = tests::tiny_en_dir();
  if (!tiny_en) return;
  app::Recognizer recognizer(*tiny_en, 2);
  for (const std::string name : {"jfk.wav", "LDC93S1.ogg", "8_Channel_ID.m4a", "bush_29s.wav"}) {
    const auto recording = tests::shared_file("corpus/" + name);
    const auto golden = tests::shared_file("golden/transcripts/" + name + ".json");
    if (!recording || !golden) return;
    CAPTURE(name);
    const json openai = json::parse(std::ifstream(*golden))["configs"]["cli_default"];
    REQUIRE_FALSE(openai.at("fallback").get<bool>());
    const json ours = our_json(recognizer, *recording);
    CHECK(ours.at("text") == openai.at("text"));
    CHECK(ours.at("language") == openai.at("language"));
    REQUIRE(ours.at("segments").size() == openai.at("segments").size());
    REQUIRE_FALSE(openai.at("segments").empty());
    for (std::size_t i = 0; i < openai.at("segments").size(); ++i) {
      compare_segment(ours.at("segments")[i], openai.at("segments")[i]);
    }
  }
}
