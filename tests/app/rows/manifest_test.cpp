// Parts of a manifest beside its rows: shards, keys of rows, what changes a text, a summary.
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/jobs/manifest/row_keys.h"
#include "app/jobs/manifest/shard.h"
#include "app/jobs/manifest/summary.h"
#include "app/jobs/rows/text_options.h"
#include "app/options/exit_code.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace wnpu::app;

using Variables = std::map<std::string, std::string>;

Shard shard(const std::string& text, const Variables& variables = {}) {
  return shard_of(text, [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

Variables slurm(const char* task, const char* first, const char* last, const char* count) {
  return {{"SLURM_ARRAY_TASK_ID", task},
          {"SLURM_ARRAY_TASK_MIN", first},
          {"SLURM_ARRAY_TASK_MAX", last},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

}  // namespace

TEST_CASE("shard: each row is in one shard, and shards differ by one row at most") {
  for (std::size_t count = 1; count < 9; ++count) {
    for (std::size_t n_rows = 0; n_rows < 30; ++n_rows) {
      std::set<std::size_t> sizes;
      std::size_t n_found = 0;
      for (std::size_t i = 1; i <= count; ++i) {
        const Shard found = shard(std::to_string(i) + "/" + std::to_string(count));
        std::size_t size = 0;
        for (std::size_t row = 0; row < n_rows; ++row) size += found.has(row) ? 1 : 0;
        sizes.insert(size);
        n_found += size;
      }
      REQUIRE(n_found == n_rows);
      REQUIRE(*sizes.rbegin() - *sizes.begin() <= 1);
    }
  }
  CHECK(shard("").count == 1);
}

TEST_CASE("shard: what is no shard is refused") {
  for (const char* text : {"0/2", "3/2", "1/0", "1", "/", "1/", "/2", "a/b", "1/2/3", "-1/2",
                           "1 /2", "+1/2", "99999999999999999999/2", "Auto"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(shard(text), UsageError);
  }
}

TEST_CASE("shard: auto takes a Slurm array's task, wherever its numbers begin") {
  const Shard found = shard("auto", slurm("7", "5", "8", "4"));
  CHECK(found.index == 2);
  CHECK(found.count == 4);
  CHECK(found.source.find("SLURM_ARRAY_TASK_ID=7") != std::string::npos);
  // Gaps, numbers outside, and what is no number.
  for (const Variables& wrong :
       {slurm("1", "1", "9", "5"), slurm("9", "1", "8", "8"), slurm("0", "1", "8", "8"),
        slurm("x", "1", "8", "8"), slurm("1", "1", "0", "0"), slurm("1", "", "8", "8"),
        Variables{{"SLURM_ARRAY_TASK_ID", "1"}}}) {
    CHECK_THROWS_AS(shard("auto", wrong), UsageError);
  }
}

TEST_CASE("shard: auto takes an indexed job's index") {
  const Shard found = shard("auto", {{"JOB_COMPLETION_INDEX", "0"}, {"WHISPER_NPU_SHARDS", "3"}});
  CHECK(found.index == 0);
  CHECK(found.count == 3);
  CHECK_THROWS_AS(shard("auto", {{"JOB_COMPLETION_INDEX", "3"}, {"WHISPER_NPU_SHARDS", "3"}}),
                  UsageError);
  CHECK_THROWS_AS(shard("auto", {{"JOB_COMPLETION_INDEX", "0"}}), UsageError);
  CHECK_THROWS_AS(shard("auto", {{"WHISPER_NPU_SHARDS", "3"}}), UsageError);
  CHECK_THROWS_AS(shard("auto"), UsageError);
}

TEST_CASE("row keys: ids are told apart as JSON, rows without one by their lines") {
  RowKeys keys;
  CHECK(keys.key_of("\"1\"", 1) == keys.key_of("\"1\"", 2));
  CHECK(keys.key_of("\"1\"", 1) != keys.key_of("1", 1));
  CHECK(keys.key_of("null", 1) != keys.key_of("null", 2));
  CHECK(keys.key_of("null", 1) != keys.key_of("\"null\"", 1));
}

TEST_CASE("row keys: a set finds what is in it, and what is there twice") {
  RowKeys keys;
  RowKeySet set;
  for (std::size_t i = 0; i < 1000; ++i) set.add(keys.key_of(std::to_string(i), i), i);
  CHECK_FALSE(set.sort());
  for (std::size_t i = 0; i < 2000; ++i) {
    CHECK(set.contains(keys.key_of(std::to_string(i), 0)) == (i < 1000));
  }
  set.add(keys.key_of("500", 0), 1001);
  CHECK(set.sort() == std::pair<std::size_t, std::size_t>{500, 1001});
}

TEST_CASE("text options: what changes a text changes the number, and nothing else does") {
  const wnpu::tests::TemporaryFolder folder;
  const std::string usual = options_sha256({});
  CHECK(usual.size() == 64);
  Options same;
  same.model = "other";
  same.threads = 7;
  same.rows.n_together = 3;
  same.isolation = Isolation::off;
  same.verbosity = Verbosity::quiet;
  same.manifest.file = "rows";
  same.transcribe.vad.weights = "elsewhere";  // is not used
  CHECK(options_sha256(same) == usual);
  std::set<std::string> numbers{usual};
  const auto differs = [&numbers](const auto& change) {
    Options options;
    change(options);
    return numbers.insert(options_sha256(options)).second;
  };
  CHECK(differs([](Options& o) { o.transcribe.beam_size = 1; }));
  CHECK(differs([](Options& o) { o.transcribe.language = "de"; }));
  CHECK(differs([](Options& o) { o.transcribe.seed = 1; }));
  CHECK(differs([](Options& o) { o.transcribe.pool_padding = true; }));
  CHECK(differs([](Options& o) { o.transcribe.multilingual = true; }));
  CHECK(differs([](Options& o) { o.transcribe.temperatures = {0, 1}; }));
  CHECK(differs([](Options& o) { o.transcribe.length_penalty = 1; }));
  CHECK(differs([](Options& o) { o.transcribe.initial_prompt = "\xFF"; }));
  CHECK(differs([](Options& o) { o.transcribe.word_timestamps = true; }));
  CHECK(differs([](Options& o) { o.transcribe.clip_timestamps = {1, 2}; }));
  CHECK(differs([](Options& o) { o.device.cpu_precision = "fp32"; }));
  CHECK(differs([](Options& o) { o.device.split = "layers"; }));
  CHECK(differs([](Options& o) { o.each_audio.track = 0; }));
  CHECK(differs([](Options& o) { o.each_audio.container_times = false; }));
  CHECK(differs([](Options& o) { o.transcribe.vad.enabled = true; }));
  const auto weights = folder.make_file("vad", "weights").string();
  CHECK(differs([&](Options& o) { o.transcribe.vad = {.enabled = true, .weights = weights}; }));
}

namespace {

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
  CHECK(wnpu::tests::schema_fault("app/jobs/manifest/summary.schema.json", found) == "");
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
  CHECK(wnpu::tests::schema_fault("app/jobs/manifest/summary.schema.json", found) == "");
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
  CHECK(wnpu::tests::schema_fault("app/jobs/manifest/summary.schema.json", found) == "");
  CHECK(found["cer"]["rows"] == 2);
  CHECK(found["cer"]["errors"] == 1);
  CHECK(found["cer"]["characters"] == 8);
  CHECK(found["wer"]["rows"] == 2);
  CHECK(found["wer"]["errors"] == 1);
  CHECK(found["wer"]["words"] == 6);
  CHECK(summary_text(summary).find("character errors: 1 of 8 (12.50 %)") != std::string::npos);
}
