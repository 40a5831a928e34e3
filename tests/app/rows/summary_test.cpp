#include "app/jobs/manifest/summary.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/json_schema.h"

namespace {

using namespace wnpu::app;
using nlohmann::json;
using nlohmann::ordered_json;

ordered_json ok(const char* text, const char* language = "en") {
  return {{"status", "ok"}, {"pred_text", text}, {"language", language}, {"audio_duration", 1.5}};
}

}  // namespace

TEST_CASE("word errors: words are letters, digits and apostrophes, in lower case") {
  CHECK(plain_words("  Hello,\tWORLD! It's 5—6 o’clock.") == "hello world it's 5 6 o'clock");
  CHECK(plain_words("ÄÖÜ ßéÇ ЖЩ ΑΒΓ 日本語。テスト") == "äöü ßéç жщ αβγ 日本語 テスト");
  CHECK(plain_words("'quoted' '' ' rock 'n' roll") == "quoted rock n roll");
  CHECK(plain_words("\xFF bad \xE2\x82") == "bad");
  CHECK(plain_words("😀") == "");
  CHECK(plain_words("") == "");
}

TEST_CASE("summary: rows, seconds and word errors add up") {
  Summary summary;
  summary.add(ok("Hello, world."), "hello World");
  summary.add(ok("one two three"), "one too");
  summary.add(ok("not compared"), std::nullopt);
  summary.add({{"status", "failed"}}, "a text");
  const json found = json::parse(summary_json(summary));
  CHECK(wnpu::tests::schema_fault(wnpu::tests::schema_of("app/jobs/manifest/summary.schema.json"),
                                  found) == "");
  CHECK(found["rows"] == 4);
  CHECK(found["failed"] == 1);
  CHECK(found["audio_seconds"] == 4.5);
  CHECK(found["wer"]["rows"] == 2);
  CHECK(found["wer"]["errors"] == 2);
  CHECK(found["wer"]["words"] == 4);
  CHECK(found["wer"]["rate"] == 0.5);
  CHECK(summary_text(summary) ==
        "4 rows, 1 failed; 4.50 s of audio in 0.00 s; word errors: 2 of 4 (50.00 %)");
}

TEST_CASE("summary: nothing to compare is no error rate") {
  const json found = json::parse(summary_json({}));
  CHECK(wnpu::tests::schema_fault(wnpu::tests::schema_of("app/jobs/manifest/summary.schema.json"),
                                  found) == "");
  CHECK(found["wer"].is_null());
}

TEST_CASE("summary: a row without a word in its text has no reference") {
  Summary summary;
  for (const char* text : {"", " ", "\t", "..."})
    summary.add(ok("eight words that nobody has written down"), text);
  const json found = json::parse(summary_json(summary));
  CHECK(found["ok"] == 4);
  CHECK(found["wer"].is_null());
  CHECK(summary_text(summary).find("errors") == std::string::npos);
}

TEST_CASE("summary: languages without spaces are compared by characters, translations by words") {
  Summary summary;
  summary.add(ok("今天天气很好。", "zh"), "今天天氣很好");
  summary.add(ok("今 天", "ja"), "今天");
  summary.add(ok("the weather is nice", "zh"), "The weather was nice.");
  summary.add(ok("das Wetter", "de"), "das Wetter");
  const json found = json::parse(summary_json(summary));
  CHECK(wnpu::tests::schema_fault(wnpu::tests::schema_of("app/jobs/manifest/summary.schema.json"),
                                  found) == "");
  CHECK(found["cer"]["rows"] == 2);
  CHECK(found["cer"]["errors"] == 1);
  CHECK(found["cer"]["characters"] == 8);
  CHECK(found["wer"]["rows"] == 2);
  CHECK(found["wer"]["errors"] == 1);
  CHECK(found["wer"]["words"] == 6);
  CHECK(summary_text(summary).find("character errors: 1 of 8 (12.50 %)") != std::string::npos);
}
