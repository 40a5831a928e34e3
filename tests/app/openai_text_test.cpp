// The command's defaults on every English recording of the corpus beside the source tree, against
// openai-whisper's text.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/engine/whisper_npu.hpp"
#include "tests/support/fetched_files.h"
#include "tests/support/model_run.h"
#include "tests/support/shared_data.h"

using namespace wnpu;  // NOLINT
using nlohmann::json;

namespace {

// Where openai-whisper drew samples at a temperature above 0, its random numbers are in the text.
std::optional<json> comparable_result(const std::filesystem::path& golden) {
  const json file = json::parse(std::ifstream(golden));
  if (!file.contains("configs")) return std::nullopt;
  json result = file["configs"]["cli_default"];
  if (result.at("fallback").get<bool>()) return std::nullopt;
  return result;
}

bool has_tokens_of(const json& golden, const Transcript& ours) {
  std::vector<models::TokenId> expected;
  std::vector<models::TokenId> found;
  for (const json& segment : golden.at("segments")) {
    for (const json& token : segment.at("tokens")) expected.push_back(token);
  }
  for (const auto& segment : ours.segments) {
    found.insert(found.end(), segment.tokens.begin(), segment.tokens.end());
  }
  return found == expected;
}

}  // namespace

TEST_CASE("transcriber: default options give openai-whisper's tokens on nine of ten recordings") {
  const auto tiny_en = tests::tiny_en_dir();
  const auto corpus = tests::shared_file("corpus");
  if (!tiny_en || !corpus) return;
  const auto goldens = corpus->parent_path() / "golden/transcripts";
  Session session = tests::session_of(*tiny_en);
  std::size_t compared = 0;
  std::size_t equal = 0;
  for (const auto& entry : std::filesystem::directory_iterator(goldens)) {
    const auto recording = *corpus / entry.path().stem();
    if (entry.path().extension() != ".json" || !std::filesystem::exists(recording)) continue;
    const auto golden = comparable_result(entry.path());
    if (!golden) continue;
    ++compared;
    const auto ours = session.transcribe({.path = recording}, TranscribeOptions{});
    if (has_tokens_of(*golden, ours)) {
      ++equal;
    } else {
      MESSAGE("other tokens: ", recording.filename().string());
    }
  }
  MESSAGE(equal, " of ", compared, " recordings");
  CHECK(compared > 50);
  // All 58 where it was written; sums in another order, as of wider vectors, may tip a near tie.
  CHECK(10 * equal >= 9 * compared);
}
