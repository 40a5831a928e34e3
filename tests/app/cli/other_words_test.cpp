// Command lines as users of other programs write them.
#include <doctest/doctest.h>

#include "app/cli/command_line.h"
#include "app/options/exit_code.h"
#include "app/options/foreign_options.h"
#include "app/options/options.h"
#include "tests/support/text.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::has;
using Words = std::vector<const char*>;
using Inputs = std::vector<std::string>;

const std::string kFile = WNPU_SOURCE_DIR "/README.md";

Options parsed_words(const Words& words) { return parse_command_line(words).options; }

std::string told_of(const Words& words) {
  return wnpu::tests::message_of<UsageError>([&] { parse_command_line(words); });
}

}  // namespace

TEST_CASE("other words: a command line of whisper.cpp is taken") {
  const Options options =
      parsed_words({"-m",       "base", "-f",  kFile.c_str(), "-l",    "de",  "-t",   "3",
                    "-tr",      "-bs",  "2",   "-nf",         "-np",   "-nt", "-nth", "0.5",
                    "--prompt", "Hi",   "-vm", "x",           "--vad", "-tp", "0"});
  CHECK(options.model == "base");
  CHECK(options.inputs == Inputs{kFile});
  CHECK(options.transcribe.language == "de");
  CHECK(options.threads == 3);
  CHECK(options.transcribe.task == wnpu::Task::translate);
  CHECK(options.transcribe.beam_size == 2);
  CHECK_FALSE(options.transcribe.temperature_increment_on_fallback.has_value());
  CHECK(options.verbosity == Verbosity::quiet);
  CHECK(options.transcribe.without_timestamps);
  CHECK(options.transcribe.no_speech_threshold == 0.5);
  CHECK(options.transcribe.initial_prompt == "Hi");
  CHECK(options.transcribe.vad.enabled);
  CHECK(parsed_words({"transcribe", "--translate", "a.wav"}).transcribe.task ==
        wnpu::Task::translate);
  // Behind a command as well, and no value of what stands before.
  CHECK(parsed_words({"transcribe", "-f", "a.wav", "-f", "srt"}).inputs == Inputs{"a.wav"});
  CHECK(has(told_of({"-m", "-t", "4", kFile.c_str()}), "-m"));
}

TEST_CASE("other words: every short name of whisper.cpp is taken, or told what to write") {
  for (const char* word :
       {"-t",    "-p",    "-d",    "-mc",   "-ml",   "-sow", "-bo",  "-bs",  "-ac",
        "-wt",   "-et",   "-lpt",  "-nth",  "-tp",   "-tpi", "-tr",  "-di",  "-debug",
        "-nf",   "-tdrz", "-fp",   "-np",   "-ps",   "-pc",  "-pp",  "-nt",  "-l",
        "-dl",   "-m",    "-dtw",  "-ls",   "-ng",   "-fa",  "-nfa", "-sns", "-su",
        "-vm",   "-vt",   "-vspd", "-vsd",  "-vmsd", "-vp",  "-ot",  "-on",  "-otxt",
        "-ovtt", "-osrt", "-olrc", "-ocsv", "-owts", "-oj",  "-ojf", "-of"}) {
    CAPTURE(word);
    const std::string message = told_of({"transcribe", word, "1", "a.wav"});
    CAPTURE(message);
    CHECK_FALSE(has(message, "no such option"));
    // First on the line it means transcribe too.
    CHECK(told_of({word, "1", "a.wav"}) == message);
    const bool is_told =
        has(message, "write ") || has(message, "leave it out") || has(message, "told by --");
    const bool is_taken = message.empty() || has(message, "-l") || has(message, "--vad");
    CHECK((is_told || is_taken));
  }
  CHECK(has(told_of({"-ml", "40", "a.wav"}), "-ml: write --max-line-width 40 --max-line-count 1"));
  CHECK(has(told_of({"--output-srt", "a.wav"}), "--output-srt: write --format srt --beside"));
  CHECK(has(told_of({"--translate=True", "a.wav"}), "--translate: expected no value"));
  // Two of ours are two of ours.
  CHECK(parsed_words({"-vo", "folder", kFile.c_str()}).output_dir == "folder");
}

TEST_CASE("other words: --json and the like in front of a recording are formats") {
  for (const auto& [word, format] :
       {std::pair{"--json", Format::json}, std::pair{"--srt", Format::srt},
        std::pair{"--vtt", Format::vtt}, std::pair{"--txt", Format::txt}}) {
    const std::vector<Format> only = {format};
    CHECK(parsed_words({word, kFile.c_str()}).formats == only);
    CHECK(parsed_words({"transcribe", "a.wav", word}).formats == only);
  }
  CHECK(parsed_words({"--json", "--format", "srt", kFile.c_str()}).formats ==
        std::vector<Format>{Format::json, Format::srt});
  CHECK(parse_command_line(Words{"--json", "--version"}).command == Command::print);
  // Files that exist are not reported as missing, whatever option stands before them.
  CHECK(parse_command_line(Words{"--help", kFile.c_str()}).command == Command::print);
}

TEST_CASE("other words: an option of True and False alone is True") {
  const Options options =
      parsed_words({"--word-timestamps", kFile.c_str(), "--vad", "--condition-on-previous-text",
                    "--highlight_words", "-", "--carry-initial-prompt", "--initial-prompt=Hi"});
  CHECK(options.inputs == Inputs{kFile, "-"});
  CHECK(options.transcribe.word_timestamps);
  CHECK(options.transcribe.vad.enabled);
  CHECK(options.layout.highlight_words);
  CHECK(options.transcribe.carry_initial_prompt);
  CHECK(parsed_words({"transcribe", "a.wav", "--vad"}).transcribe.vad.enabled);
  CHECK_FALSE(parsed_words({"--vad", "False", kFile.c_str()}).transcribe.vad.enabled);
  CHECK(parsed_words({"--vad", "true", kFile.c_str()}).inputs == Inputs{kFile});
  // Words that are neither a value nor a recording are an error in either form.
  for (const char* word : {"yes", "1", "missing.wav"}) {
    CHECK(
        has(told_of({"--vad", word, kFile.c_str()}),
            "--vad: expected True or False, or a file that is there, found " + std::string(word)));
  }
  CHECK(has(told_of({"--vad=yes", kFile.c_str()}), "found yes"));
  CHECK(parsed_words({"transcribe", "-v", "missing.wav"}).inputs == Inputs{"missing.wav"});
}

TEST_CASE("other words: whoever says how stdin looks means it") {
  CHECK(parsed_words({"--stdin-format", "s16le:16000:1"}).inputs == Inputs{"-"});
  CHECK_FALSE(told_of({"--stdin-format", "s16le:16000:1", kFile.c_str()}).empty());
  CHECK(has(told_of({}), "expected a file, - for stdin, or a command"));
}

TEST_CASE("other words: --beside is a template") {
  const Options options = parsed_words({"--beside", "--format", "srt", kFile.c_str()});
  CHECK(options.output_template == "{dir}/{stem}.{ext}");
  for (const Words& other :
       {Words{"--output-dir", "o"}, Words{"--output", "o"}, Words{"--output-template", "{n}"}}) {
    Words words = {"transcribe", "--beside", "a.wav"};
    words.insert(words.end(), other.begin(), other.end());
    CHECK(has(told_of(words), "--beside"));
  }
}
