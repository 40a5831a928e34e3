#include "bench/input/references.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "bench/core/child_process.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::bench;
namespace fs = std::filesystem;

namespace {

// In the normalisers' place: lower case, and the language before it where that is not English.
const std::vector<std::string> kLowerCase = {"/usr/bin/python3", "-c", R"(
import json, sys
for line in iter(sys.stdin.readline, ""):
    asked = json.loads(line)
    text = asked["text"].lower()
    print(json.dumps({"text": text if asked["language"] == "en" else "de " + text}), flush=True)
)"};

struct ReferencesFixture {
  References references(std::vector<std::string> normalizer) const {
    const std::string text =
        "file\tduration_s\treference\tkind\tlang\n"
        "a.wav\t1\tOne two three\ten\ten\n"
        "b.wav\t1\tÄpfel\tde\tde\n";
    return References(folder.make_file("manifest.tsv", text), std::move(normalizer));
  }

  wnpu::tests::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("references: error rates of normalised texts, by file, none where nothing is known") {
  const ReferencesFixture fixture;
  const References references = fixture.references(kLowerCase);
  Results results;
  const Scores scores = add_heard({{"p", "a.wav", 1, "one TWO four", {}, {}},
                                   {"p", "b.wav", 1, "äpfel\xff", {}, {}},
                                   {"p", "c.wav", 1, "what", {}, {}}},
                                  references, results);
  REQUIRE(results.heard.size() == 3);
  CHECK(results.heard[0].wer == doctest::Approx(1.0 / 3));
  CHECK(results.heard[1].cer == doctest::Approx(1.0 / 8));
  CHECK_FALSE(results.heard[2].wer.has_value());
  CHECK(scores.words.size() == 2);
  CHECK(results.notes.empty());
  CHECK(results.exit_code == 0);
  const std::vector<Figure> figures = error_rates(scores);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].value == doctest::Approx(2.0 / 5));
}

TEST_CASE("references: without a normaliser there are texts, a note and an exit code, no rates") {
  const ReferencesFixture fixture;
  const std::string script = bench_script("normalize.py").string();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"/nonexistent/python", script},
        std::vector<std::string>{"/usr/bin/python3", "-S", script},
        std::vector<std::string>{"/bin/echo", "no JSON"}}) {
    Results results;
    const References references = fixture.references(command);
    for (int program = 0; program < 2; ++program) {
      const Scores scores = add_heard({{"p", "a.wav", 1, "one", {}, {}}}, references, results);
      CHECK(error_rates(scores).empty());
    }
    CHECK(results.heard.size() == 2);
    CHECK_FALSE(results.heard[0].wer.has_value());
    REQUIRE(results.notes.size() == 1);
    CHECK(results.notes[0].starts_with("error rates are left out: " + command[0]));
    CHECK(results.exit_code == 1);
  }
}

TEST_CASE("references: bench/normalize.py gives openai/whisper's results on every recorded pair") {
  if (!fs::exists(peers_python(""))) {
    MESSAGE("SKIP: needs the environment of bench/peers.sh --normalizer");
    return;
  }
  std::ifstream file(WNPU_SOURCE_DIR "/tests/data/normalizer/pairs.json");
  const auto pairs = nlohmann::json::parse(file);
  TextNormalizer normalize(normalizer_command());
  for (const auto& pair : pairs.at("pairs")) {
    CHECK(normalize(pair["raw"], "en") == pair["english"].get<std::string>());
    CHECK(normalize(pair["raw"], "de") == pair["basic"].get<std::string>());
  }
}
