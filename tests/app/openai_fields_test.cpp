// The JSON of the command's defaults, field by field, against openai-whisper's segments.
#include <cmath>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/writers.h"
#include "tests/support/fetched_files.h"
#include "tests/support/model_run.h"
#include "tests/support/real_speech.h"
#include "tests/support/reference_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tolerances.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT
using nlohmann::json;

namespace {

json our_json(Session& session, const std::filesystem::path& recording) {
  const auto found = session.transcribe({.path = recording}, TranscribeOptions{});
  std::ostringstream out;
  app::write(app::Format::json, found, {}, out);
  return json::parse(out.str());
}

bool is_as_near(const json& a, const json& b, double tolerance) {
  return std::abs(a.get<double>() - b.get<double>()) <= tolerance;
}

void compare_segment(const json& ours, const json& openai) {
  for (const char* field : {"id", "seek", "text", "tokens", "temperature"}) {
    CAPTURE(field);
    CHECK(ours.at(field) == openai.at(field));
  }
  // Arithmetic is the same on the same integers, but for the order of additions.
  for (const char* field : {"start", "end", "compression_ratio"}) {
    CAPTURE(field);
    CHECK(is_as_near(ours.at(field), openai.at(field), 1e-9));
  }
  CHECK(
      is_as_near(ours.at("avg_logprob"), openai.at("avg_logprob"), tests::tolerance::kAvgLogprob));
  CHECK(is_as_near(ours.at("no_speech_prob"), openai.at("no_speech_prob"),
                   tests::tolerance::kNoSpeechProbability));
  for (const auto& [field, value] : openai.items()) CHECK(ours.contains(field));
}

// Recordings of tests/data/transcripts: real speech, its formats, and all of it in one long file.
std::vector<std::filesystem::path> recordings(const std::filesystem::path& jfk,
                                              const tests::TemporaryFolder& folder) {
  auto files = tests::real_speech(jfk);
  const auto all_twice = folder.path() / "all_twice";
  tests::write_wav(all_twice, tests::joined(files, 2));
  const auto formats = tests::data_files("sounds");
  files.insert(files.end(), formats.begin(), formats.end());
  files.push_back(all_twice);
  return files;
}

}  // namespace

TEST_CASE("json: with default options every field of a segment is openai-whisper's") {
  const auto tiny_en = tests::tiny_en_dir();
  const auto jfk = tests::jfk_wav();
  if (!tiny_en || !jfk) return;
  const tests::TemporaryFolder folder;
  Session session = tests::session_of(*tiny_en);
  for (const auto& recording : recordings(*jfk, folder)) {
    const std::string name = recording.filename();
    CAPTURE(name);
    const json openai = tests::data_json("transcripts/" + name + ".json");
    const json ours = our_json(session, recording);
    CHECK(ours.at("text") == openai.at("text"));
    CHECK(ours.at("language") == openai.at("language"));
    REQUIRE(ours.at("segments").size() == openai.at("segments").size());
    REQUIRE_FALSE(openai.at("segments").empty());
    for (std::size_t i = 0; i < openai.at("segments").size(); ++i) {
      compare_segment(ours.at("segments")[i], openai.at("segments")[i]);
    }
  }
}
