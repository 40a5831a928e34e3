#include "app/jobs/rows/row.h"

#include <random>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/jobs/rows/row_fields.h"
#include "tests/few_samples.h"
#include "tests/support/json_schema.h"
#include "tests/support/text.h"

namespace {

using namespace wnpu::app;
using nlohmann::ordered_json;

Row read(const std::string& text, const std::string& folder = "") {
  auto row = RowReader(folder).read({7, text, false});
  REQUIRE(row);
  return *row;
}

std::string row_fault(const std::string& text) { return read(text).fault; }

ordered_json fields() {
  return {{"status", "ok"},
          {"pred_text", "new"},
          {"attempts", 1},
          {"model_sha256", ""},
          {"options_sha256", std::string(64, '0')}};
}

}  // namespace

TEST_CASE("row: columns, their defaults and null") {
  const Row all = read(R"({"audio_filepath":"a b.wav","offset":1.5,"duration":2,"text":"x",)"
                       R"("lang":"German","id":17})",
                       "/data");
  CHECK(all.path == "/data/a b.wav");
  CHECK(all.offset_s == 1.5);
  CHECK(all.duration_s == 2);
  CHECK(all.text == "x");
  CHECK(all.language == "de");
  CHECK(all.id == "17");
  CHECK(all.fault.empty());
  const Row least = read(R"({"audio_filepath":"/a.wav","offset":null,"duration":null,"text":null,)"
                         R"("lang":"","id":null})",
                         "/data");
  CHECK(least.path == "/a.wav");
  CHECK(least.offset_s == 0);
  CHECK_FALSE(least.duration_s);
  CHECK_FALSE(least.text);
  CHECK(least.language.empty());
  CHECK(least.fault.empty());
}

TEST_CASE("row: a line of UTF-16 is told so") {
  const std::string little("{\0\"\0a\0", 6);
  const std::string big("\0{\0\"\0a", 6);
  for (const std::string& line :
       {little, big, "\xFF\xFE" + little, "\xFE\xFF" + big, std::string(1, '\0')}) {
    CHECK(row_fault(line).starts_with("expected UTF-8, found UTF-16"));
  }
}

TEST_CASE("row: paths and URIs") {
  const auto path = [](const std::string& named) {
    return read(ordered_json{{"audio_filepath", named}}.dump(), "/data").path;
  };
  CHECK(path("file:///a%20b%2Fc.wav") == "/a b/c.wav");
  CHECK(path("file://localhost/a.wav") == "/a.wav");
  CHECK(path("sub/a.wav") == "/data/sub/a.wav");
  CHECK(path("a:b//c.wav") == "/data/a:b//c.wav");
  CHECK(read(R"({"audio_filepath":"-"})").path == "./-");  // never stdin
  CHECK(read(R"({"audio_filepath":"a.wav"})").path == "a.wav");
  for (const char* uri : {"s3://bucket/a.wav", "file://host/a.wav", "file://", "file:///a%2",
                          "file:///a%zz.wav", "https://x/a.wav"}) {
    CAPTURE(std::string(uri));
    CHECK_FALSE(row_fault(ordered_json{{"audio_filepath", uri}}.dump()).empty());
  }
}

TEST_CASE("row: URLs where they are taken, and no secret of one that is not") {
  const std::string url = "https://user:pw@host/a.wav?key=s3cret";
  const std::string text = ordered_json{{"audio_filepath", url}}.dump();
  const auto taken = RowReader("/data", true).read({1, text, false});
  CHECK(taken->fault.empty());
  CHECK(taken->path == url);
  CHECK(RowReader("/data", true).read({1, R"({"audio_filepath":"s3://b/a"})", false})->fault != "");
  const std::string fault = row_fault(text);
  CHECK(fault.find("https://host/a.wav\"; --allow-urls fetches it") != std::string::npos);
  CHECK(fault.find("pw") == std::string::npos);
  CHECK(fault.find("s3cret") == std::string::npos);
}

TEST_CASE("row: an id that is made is of path, offset and duration alone") {
  // printf 'a.wav\n1.500000\n2.000000' | sha256sum, and 'a.wav\n0.000000\n'
  const std::string with_both =
      read(R"({"audio_filepath":"a.wav","offset":1.5,"duration":2.0})").id;
  CHECK(with_both == "\"03d58df9ef644c45\"");
  const std::string with_none = read(R"({"x":1,"audio_filepath":"a.wav"})", "/data").id;
  CHECK(with_none == "\"3b5e3e561ba115b8\"");
}

TEST_CASE("row: what is wrong is told, with what was expected and found") {
  CHECK(row_fault("[1]") == "expected a JSON object on a line, found \"[1]\"");
  const std::string with_zero("{\"audio_filepath\":\"a\"}\0\"b\"", 26);
  CHECK(row_fault(with_zero).starts_with("expected a JSON object on a line, found"));
  CHECK(row_fault(R"({"audio_filepath":1})") == "audio_filepath: expected a text, found 1");
  CHECK(row_fault(R"({"a":1})") == "audio_filepath: expected a path, found none");
  CHECK(row_fault(R"({"audio_filepath":"a","offset":-1})") ==
        "offset: expected seconds from 0 on, found -1");
  CHECK(row_fault(R"({"audio_filepath":"a","duration":0})") ==
        "duration: expected seconds above 0, found 0");
  CHECK(row_fault(R"({"audio_filepath":"a","lang":"klingon"})") ==
        "lang: expected a language that Whisper knows, found \"klingon\"");
  CHECK(row_fault(R"({"audio_filepath":"a","x":1,"x":2})") ==
        "expected each column once, found two called \"x\"");
  for (const char* text :
       {"{", "{\"audio_filepath\":\"a\",}", "\xFF", "{\"audio_filepath\":\"\xFF\"}",
        R"({"audio_filepath":"a","offset":"1"})", R"({"audio_filepath":"a","offset":1e999})",
        R"({"audio_filepath":"a","offset":NaN})", R"({"audio_filepath":"a","offset":1e9})",
        R"({"audio_filepath":"a","duration":-1})", R"({"audio_filepath":"a\u0000b"})",
        R"({"audio_filepath":""})", R"({"audio_filepath":["a"]})",
        R"({"audio_filepath":"a","id":{}})", R"({"audio_filepath":"a","id":true})",
        R"({"audio_filepath":"a","text":[]})", "null", "\"\"",
        R"({"audio_filepath":"a"} {"audio_filepath":"b"})"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(row_fault(text).empty());
  }
  CHECK(read(R"({"id":"known","offset":-1})").id == "\"known\"");
  CHECK(read(R"({"x":1,"id":"known","x":2})").id == "\"known\"");
  CHECK(read(R"({"id":"a","id":"b"})").id == "null");
  CHECK(row_fault(R"({"audio_filepath":"a","offset":1e400})") ==
        "offset: expected a number that a double holds, found \"1e400\"");
  CHECK_FALSE(RowReader("").read({1, " \t\r", false}));
  CHECK(RowReader("").read({1, "", true})->fault.find("at most") != std::string::npos);
  CHECK(RowReader("").read({1, "\xEF\xBB\xBF{\"audio_filepath\":\"a\"}", false})->fault.empty());
}

TEST_CASE("row: what is not known passes through to the last digit") {
  const std::string kept =
      R"("n":123456789012345678901234567890.10,"m":1.50e-07,"s":"\u00e4\"}{,","o": {"a" : [1,{"b":"]"}]})";
  const Row row = read("{" + kept + R"( , "audio_filepath":"a","id":1.10,"pred_text":"old"})");
  const std::string line = result_line(row, fields());
  CHECK(line == "{" + kept.substr(0, kept.find("\"o\"")) + R"("o":{"a" : [1,{"b":"]"}]},)" +
                    R"("audio_filepath":"a","id":1.10,)" + fields().dump().substr(1) + "\n");
}

TEST_CASE("row: a number that no double holds is no fault in a column that nobody reads") {
  const std::string many(400, '9');
  for (const std::string& number :
       std::vector<std::string>{"1e400", "-1E+0999", many, "0." + many + "e4000", "1e-400"}) {
    const std::string text =
        R"({"audio_filepath":"a","o":{"\"e9":[)" + number + R"(]},"id":"1e400"})";
    CAPTURE(text);
    const Row row = read(text);
    CHECK(row.fault.empty());
    CHECK(row.id == "\"1e400\"");
    CHECK(result_line(row, fields()).find(number) != std::string::npos);
    CHECK(nlohmann::json::accept(with_finite_numbers(text)));
  }
  for (const char* broken : {"1e", "1e+", "01", "1.", ".5", "1e4.5", "--1"}) {
    CAPTURE(broken);
    CHECK_FALSE(read(R"({"audio_filepath":"a","o":)" + std::string(broken) + "}").fault.empty());
  }
}

TEST_CASE("row: languages by tags and other codes") {
  const auto language = [](const std::string& tag) {
    const Row row = read(R"({"audio_filepath":"a","lang":")" + tag + "\"}");
    return row.fault.empty() ? row.language + "/" + row.language_tag : "refused";
  };
  for (const std::string& pair : wnpu::tests::split_words(
           "zh-CN/zh zh_TW/zh en-US/en es-ES/es pt-BR/pt jp/ja jv/jw iw/he nb/no nb-NO/no in/id "
           "zh-Hans-CN/zh cmn-Hans/zh yue-HK/yue SR_latn/sr")) {
    const std::size_t at = pair.find('/');
    CHECK(language(pair.substr(0, at)) == pair.substr(at + 1) + "/" + pair.substr(0, at));
  }
  CHECK(language("zh") == "zh/");
  CHECK(language("Chinese") == "zh/");
  for (const char* tag : {"klingon", "xx-US", "e-n", "zh-", "-zh", "english-US"}) {
    CAPTURE(tag);
    CHECK(language(tag) == (std::string(tag) == "zh-" ? "zh/zh-" : "refused"));
  }
}

TEST_CASE("row: a result has the row's columns, an id, and nothing twice") {
  const auto rules = wnpu::tests::schema_of("app/jobs/rows/result.schema.json");
  for (const char* text :
       {R"({"audio_filepath":"a"})", R"({"audio_filepath":"a","id":null,"status":"x","line":3})",
        R"({"audio_filepath":"a","id":"b"})", "{}", "{", R"({"id":[]})", R"({"id":3})",
        R"({"audio_filepath":"a","x":1,"\u0078":2})"}) {
    CAPTURE(std::string(text));
    const std::string line = result_line(read(text), fields());
    CHECK(line.ends_with("}\n"));
    CHECK(wnpu::tests::schema_fault(rules, nlohmann::json::parse(line)) == "");
    CHECK(columns_of(line).size() == nlohmann::json::parse(line).size());
  }
}

TEST_CASE("row: the schema of rows and the reader agree") {
  const auto rules = wnpu::tests::schema_of("app/jobs/rows/row.schema.json");
  const std::vector<std::string> values = {"null", "1",      "0",  "-1", "1.5",
                                           "\"\"", "\"en\"", "[]", "{}", "true"};
  for (const char* name : {"audio_filepath", "offset", "duration", "text", "lang", "id", "other"}) {
    for (const std::string& value : values) {
      // Whether it is a language, the schema does not know.
      nlohmann::json row = {{"audio_filepath", "a"}};
      row[name] = nlohmann::json::parse(value);
      CAPTURE(row.dump());
      CHECK(read(row.dump()).fault.empty() == wnpu::tests::schema_fault(rules, row).empty());
    }
  }
}

TEST_CASE("row: whatever bytes come, there is an answer that is a line of JSON with an id") {
  const std::string seed =
      R"({"audio_filepath":"file:///a%20b.wav","offset":1.5,"duration":2,"id":"x","o":{"a":[1,"\"}"]}})";
  std::mt19937 random(3);
  RowReader reader("/data");
  std::size_t n_good = 0;
  // Under sanitizers most of them are a fuzzer's.
  constexpr std::size_t kRuns = 20000 / wnpu::tests::kSampleShare;
  for (std::size_t run = 0; run < kRuns; ++run) {
    std::string text = seed;
    for (std::size_t i = random() % 4; i > 0 && !text.empty(); --i) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 5);
          break;
        case 2:
          text.insert(at, 1, "{}[]\",:\\0e-%"[random() % 12]);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    const auto row = reader.read({1, text, false});
    if (!row) continue;
    n_good += row->fault.empty() ? 1 : 0;
    const std::string line = result_line(*row, fields());
    REQUIRE(nlohmann::json::accept(line));
    REQUIRE(nlohmann::json::parse(line).contains("id"));
    if (!row->fault.empty()) continue;
    REQUIRE(row->id != "null");
    REQUIRE(row->path.starts_with("/"));
  }
  CHECK(n_good > kRuns / 20);
}

TEST_CASE("row: nesting as deep as a line is long") {
  const std::size_t depth = 1000000 / wnpu::tests::kSampleShare;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  const Row passed = read(R"({"audio_filepath":"a","deep":)" + deep + "}");
  CHECK(passed.fault.empty());
  CHECK(result_line(passed, fields()).find(deep) != std::string::npos);
  CHECK_FALSE(row_fault(R"({"audio_filepath":)" + deep + "}").empty());
}
