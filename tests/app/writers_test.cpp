// Expected texts were made with openai-whisper 20250625's utils.py from the same segments.
#include "app/formats/writers.h"

#include <sstream>

#include <doctest/doctest.h>

namespace {

using namespace wnpu::app;
using wnpu::Segment;
using wnpu::Word;

Segment segment(double start, double end, std::string text, std::vector<Word> words = {}) {
  Segment made;
  made.start = start;
  made.end = end;
  made.text = std::move(text);
  made.words = std::move(words);
  return made;
}

// An arrow, a tab, wide spaces, Japanese, an emoji, a control character, hours.
wnpu::Transcript plain() {
  wnpu::Transcript transcript;
  transcript.segments = {segment(0.0, 7.74, " And so --> my\tfriends "),
                         segment(7.74, 10.0005, "\u3000日本語のテスト。\u3000"),
                         segment(3599.9996, 3661.5, " 😀 \x01é\"q\"")};
  return transcript;
}

wnpu::Transcript with_words() {
  wnpu::Transcript transcript;
  transcript.segments = {segment(0, 2, " One two three four",
                                 {{" One", 0.0, 0.5, 0.5},
                                  {" two", 0.5, 1.0, 0.5},
                                  {" three", 1.25, 1.5, 0.5},
                                  {" four", 1.5, 2.0, 0.5}}),
                         segment(2, 8, "日本 語。", {{"日本", 2, 2.5, 0.5}, {" 語。", 7, 8, 0.5}})};
  return transcript;
}

std::string written_as(Format format, const wnpu::Transcript& transcript,
                       const WriteOptions& options = {}) {
  std::ostringstream out;
  write(format, transcript, options, out);
  return out.str();
}

}  // namespace

TEST_CASE("writers: no text ends a cue or a row") {
  wnpu::Transcript transcript;
  transcript.segments = {segment(0, 1, " a\n\n--> \r\n \r\rb\nc\n")};
  CHECK(written_as(Format::srt, transcript) ==
        "1\n00:00:00,000 --> 00:00:01,000\na\n-> \nb\nc\n\n");
  CHECK(written_as(Format::vtt, transcript) ==
        "WEBVTT\n\n00:00.000 --> 00:01.000\na\n-> \nb\nc\n\n");
  CHECK(written_as(Format::tsv, transcript).ends_with("0\t1000\ta  -->      b c\n"));
  transcript.segments[0].words = {
      {" a\n\n", 0, 0.5, 0.5}, {" -->\n\n", 0.5, 0.75, 0.5}, {"\n \nb", 0.75, 1, 0.5}};
  CHECK(written_as(Format::srt, transcript) == "1\n00:00:00,000 --> 00:00:01,000\na ->\nb\n\n");
  const std::string highlighted =
      written_as(Format::vtt, transcript, {.layout = {{}, {}, {}, true, {}}});
  CHECK(highlighted.find("\n\n\n") == std::string::npos);
  CHECK(highlighted.find("\n-->") == std::string::npos);
}

TEST_CASE("writers: words without a layout are subtitles of segments") {
  CHECK(written_as(Format::srt, with_words()) ==
        "1\n00:00:00,000 --> 00:00:02,000\nOne two three four\n\n"
        "2\n00:00:02,000 --> 00:00:08,000\n日本 語。\n\n");
}

TEST_CASE("writers: a line count cuts through segments, and a long pause ends a subtitle") {
  WriteOptions options;
  options.layout.max_line_width = 8;
  options.layout.max_line_count = 2;
  CHECK(written_as(Format::vtt, with_words(), options) ==
        "WEBVTT\n\n"
        "00:00.000 --> 00:01.500\nOne two\nthree\n\n"
        "00:01.500 --> 00:02.500\nfour日本\n\n"
        "00:07.000 --> 00:08.000\n語。\n\n");
}

TEST_CASE("writers: elisions, small kana and Latin words are whole in lines, as ever in JSON") {
  const std::vector<Word> words = {{" l", 0, 1, 0.5},   {"'homme", 1, 2, 0.5}, {" c", 2, 3, 0.5},
                                   {"'est", 3, 4, 0.5}, {" きょ", 4, 5, 0.5},  {"ー", 5, 6, 0.5},
                                   {"Chat", 6, 7, 0.5}, {"GPT", 7, 8, 0.5},    {"。", 8, 9, 0.5}};
  wnpu::Transcript transcript;
  transcript.segments = {segment(0, 9, " l'homme c'est きょーChatGPT。", words)};
  CHECK(written_as(Format::srt, transcript, {.layout = {{}, {}, 2, false, {}}}) ==
        "1\n00:00:00,000 --> 00:00:04,000\nl'homme c'est\n\n"
        "2\n00:00:04,000 --> 00:00:09,000\nきょーChatGPT。\n\n");
  CHECK(written_as(Format::vtt, transcript, {.layout = {6, {}, {}, false, {}}}) ==
        "WEBVTT\n\n00:00.000 --> 00:09.000\nl'homme\nc'est\nきょー\nChatGPT。\n\n");
  CHECK(written_as(Format::vtt, transcript, {.layout = {{}, {}, {}, true, {}}})
            .find("l'homme <u>c'est</u>") != std::string::npos);
  CHECK(written_as(Format::jsonl, transcript).find("\" c\"") != std::string::npos);
}

TEST_CASE("writers: highlighted words, and the pauses between them") {
  WriteOptions options;
  options.layout.highlight_words = true;
  options.layout.max_line_width = 8;
  CHECK(written_as(Format::vtt, with_words(), options) ==
        "WEBVTT\n\n"
        "00:00.000 --> 00:00.500\n<u>One</u> two\nthree\nfour\n\n"
        "00:00.500 --> 00:01.000\nOne <u>two</u>\nthree\nfour\n\n"
        "00:01.000 --> 00:01.250\nOne two\nthree\nfour\n\n"
        "00:01.250 --> 00:01.500\nOne two\n<u>three</u>\nfour\n\n"
        "00:01.500 --> 00:02.000\nOne two\nthree\n<u>four</u>\n\n"
        "00:02.000 --> 00:02.500\n<u>日本</u> 語。\n\n"
        "00:02.500 --> 00:07.000\n日本 語。\n\n"
        "00:07.000 --> 00:08.000\n日本 <u>語。</u>\n\n");
}

TEST_CASE("writers: text is a line a segment, with times on request") {
  CHECK(written_as(Format::text, plain()) == written_as(Format::txt, plain()));
  WriteOptions options;
  options.text_timestamps = true;
  // openai/whisper transcribe.py prints the text with its leading space.
  CHECK(text_line(plain().segments[2], options) ==
        "[01:00:00.000 --> 01:01:01.500]  😀 \x01é\"q\"\n");
}

TEST_CASE("writers: lrc counts minutes on past the hour") {
  CHECK(written_as(Format::lrc, plain()) ==
        "[00:00.00]And so --> my\tfriends\n[00:07.74]日本語のテスト。\n[60:00.00]😀 \x01é\"q\"\n");
}

TEST_CASE("writers: csv doubles its quotes") {
  CHECK(written_as(Format::csv, plain()) ==
        "start,end,text\n"
        "0,7740,\"And so --> my\tfriends\"\n"
        "7740,10000,\"日本語のテスト。\"\n"
        "3600000,3661500,\"😀 \x01é\"\"q\"\"\"\n");
}

TEST_CASE("writers: no segments give the header alone") {
  CHECK(written_as(Format::txt, {}).empty());
  CHECK(written_as(Format::text, {}).empty());
  CHECK(written_as(Format::srt, {}).empty());
  CHECK(written_as(Format::vtt, {}) == "WEBVTT\n\n");
  CHECK(written_as(Format::tsv, {}) == "start\tend\ttext\n");
  CHECK(written_as(Format::csv, {}) == "start,end,text\n");
}

TEST_CASE("writers: broken UTF-8 is repaired in every format") {
  wnpu::Transcript transcript;
  transcript.segments = {segment(0, 1, " caf\xC3 \xF0\x9F\x98")};
  for (const FormatName& known : kFormats) {
    const std::string text = written_as(known.format, transcript);
    CAPTURE(known.name);
    CHECK(text.find("caf\uFFFD \uFFFD") != std::string::npos);
    CHECK(text.find("\xC3 ") == std::string::npos);
  }
}

TEST_CASE("writers: formats are found by their names") {
  for (const FormatName& known : kFormats) CHECK(find_format(known.name) == known.format);
  CHECK_FALSE(find_format("xml"));
  CHECK(extension_of(Format::text) == "txt");
  CHECK(extension_of(Format::jsonl) == "jsonl");
}

TEST_CASE("writers: speakers stand in front of their words, in every format") {
  wnpu::Transcript transcript;
  transcript.segments = {segment(0, 1, " Hi."), segment(1, 2, " Oh <no>"), segment(2, 3, " Hm")};
  transcript.segments[0].speaker = "An \"A\" & co";
  transcript.segments[1].speaker = "Ben";
  transcript.speakers = {{"An \"A\" & co", 1, 1}, {"Ben", 1, 0.5}};
  CHECK(written_as(Format::txt, transcript) == "An \"A\" & co: Hi.\nBen: Oh <no>\nHm\n");
  CHECK(written_as(Format::text, transcript) == "An \"A\" & co: Hi.\nBen: Oh <no>\nHm\n");
  CHECK(written_as(Format::srt, transcript) ==
        "1\n00:00:00,000 --> 00:00:01,000\nAn \"A\" & co: Hi.\n\n"
        "2\n00:00:01,000 --> 00:00:02,000\nBen: Oh <no>\n\n"
        "3\n00:00:02,000 --> 00:00:03,000\nHm\n\n");
  CHECK(written_as(Format::vtt, transcript) ==
        "WEBVTT\n\n00:00.000 --> 00:01.000\n<v An \"A\" &amp; co>Hi.\n\n"
        "00:01.000 --> 00:02.000\n<v Ben>Oh <no>\n\n00:02.000 --> 00:03.000\nHm\n\n");
  CHECK(written_as(Format::tsv, transcript) ==
        "start\tend\tspeaker\ttext\n0\t1000\tAn \"A\" & co\tHi.\n1000\t2000\tBen\tOh <no>\n"
        "2000\t3000\t\tHm\n");
  CHECK(written_as(Format::csv, transcript) ==
        "start,end,speaker,text\n0,1000,\"An \"\"A\"\" & co\",\"Hi.\"\n"
        "1000,2000,\"Ben\",\"Oh <no>\"\n2000,3000,\"\",\"Hm\"\n");
  CHECK(written_as(Format::lrc, transcript) ==
        "[00:00.00]An \"A\" & co: Hi.\n[00:01.00]Ben: Oh <no>\n[00:02.00]Hm\n");
  const std::string json = written_as(Format::jsonl, transcript);
  CHECK(json.find("\"speaker\":\"Ben\"") != std::string::npos);
  CHECK(json.find("\"speakers\":[{\"name\":\"An \\\"A\\\" & co\",\"seconds\":1.0") !=
        std::string::npos);
}

TEST_CASE("writers: no cue has words of two speakers") {
  wnpu::Transcript transcript = with_words();
  transcript.segments[0].speaker = "A";
  transcript.segments[1].speaker = "B";
  transcript.speakers = {{"A", 2, 1}, {"B", 2, 1}};
  WriteOptions options;
  options.layout.max_line_width = 40;
  options.layout.max_line_count = 2;
  CHECK(
      written_as(Format::srt, transcript, options) ==
      "1\n00:00:00,000 --> 00:00:02,000\nA: One two three four\n\n"
      "2\n00:00:02,000 --> 00:00:02,500\nB: 日本\n\n3\n00:00:07,000 --> 00:00:08,000\nB: 語。\n\n");
  // A name is part of its line in srt, where it is text.
  options.layout.max_line_width = 14;
  CHECK(written_as(Format::srt, transcript, options).find("A: One two\nthree four\n") !=
        std::string::npos);
  CHECK(written_as(Format::vtt, transcript, options).find("<v A>One two three\nfour\n") !=
        std::string::npos);
  options.layout = {};
  options.layout.rules = find_rules("netflix");
  const std::string by_rules = written_as(Format::srt, transcript, options);
  CHECK(by_rules.find("A: One two three four\n\n") != std::string::npos);
  CHECK(by_rules.find("B: 日本") != std::string::npos);
}
