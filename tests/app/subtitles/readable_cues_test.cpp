#include "app/formats/subtitle_rules/readable_cues.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/formats/repaired.h"
#include "app/formats/subtitle_rules/subtitle_file.h"
#include "app/formats/writers.h"
#include "models/base/utf8.h"
#include "tests/few_samples.h"
#include "tests/support/shared_data.h"

namespace {

using namespace wnpu::app;
using wnpu::Segment;
using wnpu::Transcript;
using wnpu::Word;

// A segment whose words take `seconds` each, one after the other.
Segment spoken(const std::vector<std::string>& words, double start, double seconds) {
  Segment segment;
  segment.start = start;
  for (const std::string& word : words) {
    segment.text += word;
    segment.words.push_back({word, start, start + seconds, 1});
    start += seconds;
  }
  segment.end = start;
  return segment;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(" " + word);
  return words;
}

Transcript said(const std::string& text, double seconds, const std::string& language = "en") {
  Transcript transcript;
  transcript.language = language;
  transcript.segments = {spoken(words_of(text), 0, seconds)};
  return transcript;
}

using Lines = std::vector<std::string>;

std::vector<Lines> cue_lines(const std::vector<TimedCue>& cues) {
  std::vector<Lines> lines;
  for (const TimedCue& cue : cues) lines.push_back(cue.lines);
  return lines;
}

std::string text_of_all(const std::vector<TimedCue>& cues) {
  std::string text;
  for (const TimedCue& cue : cues) {
    for (const std::string& line : cue.lines) text += line + "\n";
    text += "\n";
  }
  return text;
}

// All that is no white space and no mark of direction.
std::string letters(const std::string& text) {
  std::string found;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character =
        wnpu::models::first_characters(std::string_view(text).substr(at), 1);
    const bool is_kept = wnpu::models::leading_space(character) == 0 && character != "\u200F";
    if (is_kept) found += character;
    at += character.size();
  }
  return found;
}

std::string letters(const Transcript& transcript) {
  std::string text;
  for (const Segment& segment : transcript.segments) {
    if (segment.words.empty()) text += segment.text;
    for (const Word& word : segment.words) text += word.text;
  }
  return wnpu::models::replace_all(letters(text), "-->", "->");
}

bool is_hard(Rule rule) {
  return rule != Rule::orphan && rule != Rule::speed && rule != Rule::pace && rule != Rule::brief &&
         rule != Rule::late;
}

// Invariants of any transcript.
void check_invariants(const Transcript& given, const SubtitleRules& rules) {
  const Transcript transcript = repaired(given);
  const std::vector<TimedCue> cues = readable_cues(transcript, rules);
  const std::string text = text_of_all(cues);
  CHECK(letters(text) == letters(transcript));
  std::vector<Violation> found = check_cues(cues, rules);
  for (const Violation& violation : found) {
    CHECK_MESSAGE(!is_hard(violation.rule), name_of(violation.rule), ": ", text_of(violation));
  }
  // The checker reads the files, and finds what the formatter knows.
  std::erase_if(found, [](const Violation& violation) { return violation.rule == Rule::late; });
  WriteOptions options;
  options.layout.rules = rules;
  for (const Format format : {Format::srt, Format::vtt}) {
    std::ostringstream out;
    write(format, transcript, options, out);
    const SubtitleFile file = parse_subtitles(out.str());
    CHECK(file.violations.empty());
    CHECK(text_of_all(file.cues) == text);
    const std::vector<Violation> again = check_cues(file.cues, rules);
    REQUIRE(again.size() == found.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(text_of(again[i]) == text_of(found[i]));
  }
}

using Words = std::vector<std::string>;

// Words of several kinds of writing, with what tests like them to meet.
const std::vector<Words>& vocabularies() {
  static const std::vector<Words> kWords{
      {" the", " a", " I", " parliament", " of", " course,", " and", " Mr.", " Smith.", " no",
       " 42", " Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
       " --> ", " &amp; <3 a>b", "'s", " \"quoted\""},
      {"東京", "は", "晴れ", "でした", "。", "、", "っ", "ー", "Tokyo", "日", "本", "（", "）",
       "カメラ"},
      {"你", "好", "，", "世界", "。", "人工智能", "ABC"},
      {" 안녕하세요", " 저는", " 오늘", " 그", "입니다.", " OK"},
      {" مرحبا", " العالم،", " NASA", " 2024", " هل؟", " \"كلمة\"", " و", " (نص)"},
      {" שלום", " עולם!", " 5%", " ABC"},
      {" 👩‍👩‍👧‍👦", "🇩🇪", "🇫🇷", " ❤️", "👍🏽", " ok", "\u200D",
       "e\u0301\u0301\u0301"},
      {" ภาษา", "ไทย", "น้ำ", "\u0E33"},
      {" हिन्दी", " में", " क्षि।"},
      {" \u202B", "\u200F", " x", "\n", "\n\n", "\t", "\u00A0", " \u3000"}};
  return kWords;
}

Transcript random_transcript(std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  Transcript transcript;
  constexpr std::array<const char*, 5> kLanguages{"en", "de", "ja", "ar", ""};
  transcript.language = kLanguages.at(below(kLanguages.size()));
  const bool is_mixed = below(4) == 0;
  const std::size_t pace = below(4);
  const Words& only = vocabularies().at(below(vocabularies().size()));
  double now = static_cast<double>(below(3));
  for (std::size_t s = below(5); s > 0; --s) {
    Segment segment;
    segment.start = now;
    const bool has_words = below(5) != 0;
    for (std::size_t w = below(60); w > 0; --w) {
      const Words& words = is_mixed ? vocabularies().at(below(vocabularies().size())) : only;
      Word word{words.at(below(words.size())), now, now, 1};
      const double seconds =
          pace == 0 ? 0 : static_cast<double>(below(1000)) / (pace == 1 ? 200 : 3000);
      word.end += seconds;
      now += below(20) == 0 ? 3 * seconds : seconds;
      if (below(30) == 0) word.start -= 5;  // not in order
      if (below(90) == 0) word.end = std::numeric_limits<double>::quiet_NaN();
      if (below(90) == 0) word.end += 20;
      segment.text += word.text;
      if (has_words) segment.words.push_back(word);
    }
    segment.end = now;
    transcript.segments.push_back(segment);
  }
  return transcript;
}

SubtitleRules narrow() {
  SubtitleRules rules;
  rules.max_lines = 3;
  rules.max_columns = 4;
  rules.max_full_width = 2;
  rules.min_gap = 1;
  return rules;
}

}  // namespace

TEST_CASE("readable cues: any words keep the hard rules, and all of their text") {
  std::mt19937 random(60);
  const std::vector<SubtitleRules> all{*find_rules("netflix"), *find_rules("bbc"), narrow()};
  for (std::size_t i = 0; i < 600 / wnpu::tests::kSampleShare; ++i) {
    CAPTURE(i);
    const Transcript transcript = random_transcript(random);
    for (const SubtitleRules& rules : all) check_invariants(transcript, rules);
  }
}

TEST_CASE("readable cues: openai-whisper's transcripts") {
  const auto folder = wnpu::tests::shared_file("golden/base");
  if (!folder) return;
  std::size_t n_transcripts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path());
    const auto json = nlohmann::json::parse(file);
    for (const auto& [name, run] : json["configs"].items()) {
      Transcript transcript;
      transcript.language = run["language"];
      for (const auto& each : run["segments"]) {
        Segment segment;
        segment.start = each["start"];
        segment.end = each["end"];
        segment.text = each["text"];
        for (const auto& word : each.value("words", nlohmann::json::array())) {
          segment.words.push_back({word["word"], word["start"], word["end"], 1});
        }
        transcript.segments.push_back(segment);
      }
      ++n_transcripts;
      for (const auto rules : kRulesNames) check_invariants(transcript, *find_rules(rules));
    }
  }
  CHECK(n_transcripts > 30);
}

TEST_CASE("readable cues: one line where it fits, else breaks where the sense has them") {
  const SubtitleRules rules;
  CHECK(cue_lines(readable_cues(said("Ask not what your country can do.", 0.3), rules)) ==
        std::vector<Lines>{{"Ask not what your country can do."}});
  CHECK(cue_lines(readable_cues(
            said("And so, my fellow Americans, ask not what your country can do for you.", 0.4),
            rules)) == std::vector<Lines>{{"And so, my fellow Americans,",
                                           "ask not what your country can do for you."}});
  // No article is parted from its noun, no first name from the last.
  CHECK(cue_lines(readable_cues(
            said("We all went together to the house of the president Abraham Lincoln today", 0.4),
            rules)) == std::vector<Lines>{{"We all went together to the house",
                                           "of the president Abraham Lincoln today"}});
}

TEST_CASE("readable cues: a sentence ends a cue, and no short word is left alone") {
  const auto cues = readable_cues(
      said("This is the first sentence of the talk, and it goes on for a while. This one is the "
           "second of them, which is not any shorter than it.",
           0.3),
      SubtitleRules{});
  REQUIRE(cues.size() == 2);
  CHECK(cues[0].lines.back().ends_with("a while."));
  CHECK(cues[1].lines.front().starts_with("This one"));
}

TEST_CASE("readable cues: Japanese has 16 full-width characters, and no line begins with a mark") {
  const std::string text = "東京は今日も晴れでした、明日は雨が降るでしょう。";
  Segment segment;
  segment.text = text;
  segment.end = 6;
  Transcript transcript;
  transcript.language = "ja";
  transcript.segments = {segment};
  CHECK(cue_lines(readable_cues(transcript, SubtitleRules{})) ==
        std::vector<Lines>{{"東京は今日も晴れでした、", "明日は雨が降るでしょう。"}});
}

TEST_CASE("readable cues: marks stand where a line's end is no right-to-left letter") {
  const auto cues = readable_cues(said("NASA أطلقت مركبة!", 0.5, "ar"), SubtitleRules{});
  CHECK(cue_lines(cues) == std::vector<Lines>{{"\u200FNASA أطلقت مركبة!\u200F"}});
  CHECK(cue_lines(readable_cues(said("مرحبا NASA بكم", 0.5, "ar"), SubtitleRules{})) ==
        std::vector<Lines>{{"مرحبا NASA بكم"}});
}

TEST_CASE("readable cues: times") {
  Transcript transcript;
  transcript.language = "en";
  transcript.segments = {spoken({" Yes."}, 1, 0.2), spoken({" Come", " in", " here."}, 3, 0.3),
                         spoken({" And", " then", " he", " left."}, 5, 0.2),
                         spoken({" Later", " he", " came", " back", " again."}, 6.3, 0.4)};
  const auto cues = readable_cues(transcript, SubtitleRules{});
  REQUIRE(cues.size() == 4);
  CHECK(cues[0].start == 1000);
  CHECK(cues[0].end == 1834);  // the shortest duration
  CHECK(cues[1].start == 3000);
  CHECK(cues[1].end == 3900);  // the speech is long enough
  CHECK(cues[2].start == 5000);
  CHECK(cues[2].end == 6216);  // a short gap is closed to two frames
  CHECK(cues[3].end == 8300);
  CHECK(yielded_text(cues, SubtitleRules{}).empty());
}

TEST_CASE("readable cues: what yielded is told") {
  const auto cues = readable_cues(
      said("Nobody could ever read all of these many words in so short a time.", 0.05), {});
  CHECK(yielded_text(cues, SubtitleRules{}).find("speed in") != std::string::npos);
  CHECK(yielded_text({}, SubtitleRules{}).empty());
  CHECK(readable_cues({}, SubtitleRules{}).empty());
}
