// openai/whisper's own results, recorded in the shared golden data.
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "bench/text_normalizer.h"

namespace fs = std::filesystem;
using namespace wnpu::bench;

TEST_CASE("text_normalizer: equals openai/whisper on every recorded pair") {
  const fs::path pairs_path = WNPU_SOURCE_DIR "/../shared/golden/normalizer/pairs.json";
  if (!fs::exists(pairs_path)) {
    MESSAGE("SKIP: no golden pairs at ../shared/golden/normalizer");
    return;
  }
  const auto golden = nlohmann::json::parse(std::ifstream(pairs_path));
  REQUIRE(golden["pairs"].size() == 156);
  const auto english = EnglishNormalizer::with_spelling_map_at(default_spelling_map_path());
  if (!english.missing_parts().empty()) {
    MESSAGE("SKIP of the English column: " << english.missing_parts());
  }
  for (const auto& pair : golden["pairs"]) {
    const auto raw = pair["raw"].get<std::string>();
    CAPTURE(raw);
    CHECK(normalize_basic(raw) == pair["basic"].get<std::string>());
    CHECK(normalize_basic(raw, Diacritics::kRemove) ==
          pair["basic_remove_diacritics"].get<std::string>());
    CHECK(normalize_basic(raw, Diacritics::kKeep, Letters::kSplit) ==
          pair["basic_split_letters"].get<std::string>());
    if (english.missing_parts().empty()) {
      CHECK(english(raw) == pair["english"].get<std::string>());
    }
  }
}
