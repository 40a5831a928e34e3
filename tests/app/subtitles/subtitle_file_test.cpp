#include "app/formats/subtitle_rules/subtitle_file.h"

#include <doctest/doctest.h>

#include "app/engine/whisper_npu.hpp"
#include "app/options/exit_code.h"
#include "app/options/subtitle_rules_file.h"

namespace {

using namespace wnpu::app;

std::vector<std::string> faults_of(const std::string& text) {
  const SubtitleFile file = parse_subtitles(text);
  std::vector<std::string> told;
  for (const Violation& each : file.violations) {
    told.push_back(std::to_string(each.file_line) + ": " + text_of(each));
  }
  return told;
}

using ToldLines = std::vector<std::string>;

std::vector<std::string> rules_broken_by(std::vector<TimedCue> cues) {
  std::vector<std::string> names;
  for (const Violation& each : check_cues(cues, SubtitleRules{}))
    names.emplace_back(name_of(each.rule));
  return names;
}

std::string rules_refusal(const std::string& toml) {
  try {
    (void)parse_subtitle_rules(toml, "r.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("subtitle file: SubRip of a stranger") {
  const SubtitleFile file = parse_subtitles(
      "\xEF\xBB\xBF"
      "1\r\n00:00:01,000 --> 00:00:02,500 X1:5 X2:6\r\n<i>Hello</i> {\\an8}there\r\n<3\r\n\r\n"
      "2\r100:00:03,000 --> 100:00:04,000\r<font color=\"red\">x</font>\r");
  CHECK(file.violations.empty());
  REQUIRE(file.cues.size() == 2);
  CHECK(file.cues[0].start == 1000);
  CHECK(file.cues[0].end == 2500);
  CHECK(file.cues[0].file_line == 2);
  CHECK(file.cues[0].lines == std::vector<std::string>{"Hello there", "<3"});
  CHECK(file.cues[1].start == 360003000);
  CHECK(file.cues[1].lines == std::vector<std::string>{"x"});
}

TEST_CASE("subtitle file: WebVTT of a stranger") {
  const SubtitleFile file = parse_subtitles(
      "WEBVTT - a talk\nKind: captions\n\nNOTE\na comment\n\nSTYLE\n::cue {}\n\nid\n"
      "00:01.000 --> 01:00:02.000 align:start\n<v Ann>Fish &amp; <00:01.500><c.x>chips</c> "
      "&lt;3\n");
  CHECK(file.violations.empty());
  REQUIRE(file.cues.size() == 1);
  CHECK(file.cues[0].end == 3602000);
  CHECK(file.cues[0].lines == std::vector<std::string>{"Fish & chips <3"});
}

TEST_CASE("subtitle file: what is wrong is told by its line") {
  CHECK(faults_of("1\n00:00:01.000 --> 00:00:02,000\nx\n") ==
        ToldLines{
            "2: expected 00:01:02,345 --> 00:01:04,567, found '00:00:01.000 --> 00:00:02,000'"});
  CHECK(faults_of("1\n00:00:01,000 --> 00:00:02,000\nx\n2\n00:00:03,000 --> 00:00:04,000\ny\n") ==
        ToldLines{"4: expected an empty line between cues, found '2'"});
  CHECK(faults_of("1\n00:00:01,000 --> 00:00:02,000\nx\n\n3\n00:00:03,000 --> 00:00:04,000\ny\n") ==
        ToldLines{"5: expected the number 2, found '3'"});
  CHECK(faults_of("1\n00:00:01,000 --> 00:00:02,000\nx\n\nstray\n\n2\n00:00:03,000 --> later\ny\n")
            .size() == 2);
  CHECK(faults_of("1\n00:00:01,000 --> 00:00:02,000\nna\xEFve\n") ==
        ToldLines{"3: expected UTF-8, found other bytes"});
  CHECK(faults_of("WEBVTT\n00:01.000 --> 00:02.000\nx\n").size() == 1);
}

TEST_CASE("subtitle file: what is none") {
  CHECK(parse_subtitles("").cues.empty());
  CHECK(parse_subtitles("WEBVTT").cues.empty());
  CHECK_THROWS_AS(parse_subtitles("a recipe\n"), wnpu::Error);
  CHECK_THROWS_AS(parse_subtitles(std::string("\xFF\xFE\x31\x00", 4)), wnpu::Error);
}

TEST_CASE("subtitle check: each rule") {
  using RuleNames = std::vector<std::string>;
  const std::string wide(43, 'x');
  CHECK(rules_broken_by({{0, 1000, {"Fine."}}}).empty());
  CHECK(rules_broken_by({{1000, 1000, {"a b"}}}) == RuleNames{"order"});
  CHECK(rules_broken_by({{0, 2000, {"a b."}}, {1500, 3000, {"c d."}}}) == RuleNames{"overlap"});
  CHECK(rules_broken_by({{0, 2000, {"a b."}}, {2050, 3000, {"c d."}}}) == RuleNames{"gap"});
  CHECK(rules_broken_by({{0, 2000, {"a b."}}, {2083, 3000, {"c d."}}}).empty());
  CHECK(rules_broken_by({{0, 1000, {}}}) == RuleNames{"empty"});
  CHECK(rules_broken_by({{0, 3000, {"a b", "c d", "e f"}}}) == RuleNames{"lines"});
  CHECK(rules_broken_by({{0, 3000, {wide}}}) == RuleNames{"width"});
  CHECK(rules_broken_by({{0, 6900, {"一二三四五六七八九十一二三四五六七"}}}) == RuleNames{"width"});
  CHECK(rules_broken_by({{0, 3000, {"it was", "me"}}}) == RuleNames{"orphan"});
  CHECK(rules_broken_by({{0, 2000, {"and it was"}}, {2100, 3000, {"me."}}}) == RuleNames{"orphan"});
  CHECK(rules_broken_by({{0, 900, {"twenty characters, at most"}}}) == RuleNames{"speed"});
  CHECK(rules_broken_by({{0, 833, {"a b"}}}).empty());
  CHECK(rules_broken_by({{0, 800, {"a b"}}}) == RuleNames{"short"});
  CHECK(rules_broken_by({{0, 7100, {"a b"}}}) == RuleNames{"long"});
  const std::vector<TimedCue> fast{{0, 1000, {"one two three four"}}};
  CHECK(check_cues(fast, find_rules("bbc")).front().rule == Rule::pace);
  CHECK(check_cues(fast, std::nullopt).empty());
}

TEST_CASE("subtitle rules: a file") {
  const SubtitleRules rules = parse_subtitle_rules(
      "base = \"bbc\"\nmax-columns = 32\ncharacters_per_second = 17\nmin-gap = 0.1\n", "r.toml");
  CHECK(rules.max_columns == 32);
  CHECK(rules.characters_per_second == 17);
  CHECK(rules.seconds_per_word == 0.3);
  CHECK(rules.min_gap == 0.1);
  CHECK(parse_subtitle_rules("", "r.toml").max_columns == 42);
  CHECK(rules_refusal("max-colums = 3") ==
        "r.toml:1: no such key: max-colums; did you mean max-columns?");
  CHECK(rules_refusal("\nmax-lines = \"2\"") ==
        "r.toml:2: max-lines: expected a whole number from 1 to 3, found a string");
  CHECK(rules_refusal("max-lines = 1.5") ==
        "r.toml:1: max-lines: expected a whole number from 1 to 3, found a number");
  CHECK(rules_refusal("min-duration = nan") ==
        "r.toml:1: min-duration: expected a number from 0.1 to 10, found nan");
  CHECK(rules_refusal("max-columns = 2") ==
        "r.toml:1: max-columns: expected a whole number from 4 to 1000, found 2");
  CHECK(rules_refusal("min-duration = 8") ==
        "r.toml: min-duration: expected at most max-duration, found more");
  CHECK(rules_refusal("base = 'plain'") ==
        "r.toml:1: base: expected \"netflix\" or \"bbc\", found plain");
  CHECK(rules_refusal("max-lines = ").starts_with("r.toml:1: "));
}
