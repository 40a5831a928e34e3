// Classification of a command line's words: each is an option, its value or a file.
#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include "app/cli/command_line.h"
#include "app/options/exit_code.h"
#include "app/options/options.h"
#include "tests/support/text.h"

namespace {

using namespace wnpu::app;
using Words = std::vector<const char*>;

Options options_of_words(Words words) {
  words.insert(words.begin(), "transcribe");
  return parse_command_line(words).options;
}

// The message of the refusal; empty where there is none.
std::string words_refusal(Words words) {
  words.insert(words.begin(), "transcribe");
  return wnpu::tests::message_of<UsageError>([&] { parse_command_line(words); });
}

// A command with bench's kinds of options, and what it was given.
struct Other {
  std::vector<std::string> files;
  std::vector<std::string> sizes;
  std::string mode = "none";

  int run(const Words& words) {
    const std::vector<Subcommand> others = {
        {"measure", "help",
         [this](CLI::App& app) {
           app.add_option("files", files, "files");
           app.add_option("--sizes", sizes, "a list")->delimiter(',');
           app.add_option("--check", mode, "a value");
           app.add_flag_callback(
               "--json", [] {}, "a flag");
         },
         [this](const std::vector<std::string>& given) {
           files = given;
           return 7;
         }}};
    return parse_command_line(words, others).run();
  }
};

}  // namespace

TEST_CASE("words: transcribe is meant where a file or one of its options comes first") {
  const auto options = [](const Words& words) { return parse_command_line(words).options; };
  const std::string file = WNPU_SOURCE_DIR "/README.md";
  for (const Words& words :
       {Words{file.c_str(), "--beam-size", "3"}, Words{"--beam-size", "3", file.c_str()},
        Words{"--beam_size=3", file.c_str()},
        Words{"transcribe", "--beam-size", "3", file.c_str()}}) {
    CHECK(options(words).transcribe.beam_size == 3);
    CHECK(options(words).inputs == std::vector<std::string>{file});
  }
  CHECK(options({"-q", "-"}).inputs == std::vector<std::string>{"-"});
  CHECK(options({"-f", "srt", file.c_str()}).formats == std::vector<Format>{Format::srt});
  CHECK(options({"--vad_filter", "True", file.c_str()}).vad == true);
  // The program's own options, and what is neither a file nor a command.
  CHECK(parse_command_line(Words{"--version"}).command == Command::print);
  for (const char* word : {"none.wav", "benhc", "--nonsense"}) {
    CHECK_THROWS_AS(parse_command_line(Words{word, file.c_str()}), UsageError);
  }
}

TEST_CASE("words: nothing behind = is an empty text, and no other option's value") {
  const Options options = options_of_words(
      {"--initial-prompt=", "a.wav",
       "--hotwords=", "--prefix=", "--suppress-tokens=", "--word-timestamps", "true",
       "--prepend-punctuations=", "--append_punctuations=", "--clip_timestamps=", "b.wav"});
  CHECK(options.inputs == std::vector<std::string>{"a.wav", "b.wav"});
  CHECK(options.transcribe.initial_prompt.empty());
  CHECK(options.transcribe.hotwords.empty());
  CHECK(options.transcribe.prefix.empty());
  CHECK(options.transcribe.suppress_tokens.empty());
  CHECK(options.transcribe.prepend_punctuations.empty());
  CHECK(options.transcribe.append_punctuations.empty());
  CHECK(options.transcribe.clip_timestamps.empty());
  CHECK(options_of_words({"--suppress_tokens", "", "a"}).transcribe.suppress_tokens.empty());
}

TEST_CASE("words: where there must be a value, an empty one is refused by name") {
  for (const std::string& name : wnpu::tests::split_words(
           "--output --output-dir -o --format -f --model --device --threads --language "
           "--beam-size --best-of --patience --temperature --length-penalty --seed --vad "
           "--vad-model --xclbin --word-timestamps --max-line-width --npu-preset --stdin-format "
           "--verbose -v")) {
    CAPTURE(name);
    const char* const option = name.c_str();
    const std::string expected = name + ": expected a value, found nothing (see --help)";
    const std::string with_sign = name + "=";
    const bool is_flag_too = name == "--verbose" || name == "-v";
    if (!is_flag_too) CHECK(words_refusal({option, "", "victim.wav", "a.wav"}) == expected);
    CHECK_FALSE(words_refusal({with_sign.c_str(), "victim.wav", "a.wav"}).empty());
    if (!is_flag_too) CHECK(words_refusal({with_sign.c_str(), "victim.wav", "a.wav"}) == expected);
  }
  CHECK(words_refusal({"--format", ",", "a.wav"}) ==
        "--format: expected a value, found nothing (see --help)");
  CHECK(words_refusal({""}) == "the name of a file is empty (see --help)");
}

TEST_CASE("words: an option is no value of the one before it") {
  CHECK(words_refusal({"--output", "--overwrite", "a.wav"}) ==
        "--output: expected a value, found --overwrite; a value that begins so is written "
        "--output=--overwrite (see --help)");
  CHECK_FALSE(words_refusal({"--output", "--ovewrite", "a.wav"}).empty());
  CHECK_FALSE(words_refusal({"--output", "-v", "a.wav"}).empty());
  CHECK_FALSE(words_refusal({"--initial-prompt", "--", "a.wav"}).empty());
  CHECK_FALSE(words_refusal({"a.wav", "-o"}).empty());
  CHECK(options_of_words({"--initial-prompt=--overwrite", "a"}).transcribe.initial_prompt ==
        "--overwrite");
  CHECK(options_of_words({"--initial-prompt", "-v is a flag", "a"}).transcribe.initial_prompt ==
        "-v is a flag");
}

TEST_CASE("words: values may begin with a dash, or look like lists") {
  CHECK(options_of_words({"--suppress-tokens", "-1", "a"}).transcribe.suppress_tokens.front() ==
        -1);
  CHECK(options_of_words({"--logprob_threshold", "-0.5", "a"}).transcribe.logprob_threshold ==
        -0.5);
  CHECK(options_of_words({"--initial-prompt", "-x", "a"}).transcribe.initial_prompt == "-x");
  CHECK(options_of_words({"--initial-prompt={}", "a"}).transcribe.initial_prompt == "{}");
  CHECK(options_of_words({"--initial-prompt", "a=b", "a"}).transcribe.initial_prompt == "a=b");
  CHECK(options_of_words({"--output=-", "a"}).output == "-");
  CHECK(options_of_words({"--output=a=b.txt", "a"}).output == "a=b.txt");
}

TEST_CASE("words: every other word is a file, whatever it looks like") {
  const std::vector<std::string> files = {"[a,b]",  "{}",  "%%", "++", "bench", "transcribe",
                                          "-1.wav", "a=b", "-",  "/x", "True"};
  Words words;
  for (const std::string& file : files) words.push_back(file.c_str());
  CHECK(options_of_words(words).inputs == files);
  CHECK(options_of_words({"--", "--output=x", "-v", "--"}).inputs ==
        std::vector<std::string>{"--output=x", "-v", "--"});
}

TEST_CASE("words: short options stand together, with their value or before it") {
  for (const Words& words : {Words{"-vo", "out", "a"}, Words{"-voout", "a"}, Words{"-vo=out", "a"},
                             Words{"-v", "-oout", "a"}, Words{"-v", "-o=out", "a"}}) {
    const Options options = options_of_words(words);
    CHECK(options.output_dir == "out");
    CHECK(options.verbosity == Verbosity::verbose);
    CHECK(options.inputs == std::vector<std::string>{"a"});
  }
  CHECK(options_of_words({"-fsrt", "a"}).formats == std::vector{Format::srt});
  CHECK_FALSE(words_refusal({"-vx", "a"}).empty());
  CHECK_FALSE(words_refusal({"-x", "a"}).empty());
}

TEST_CASE("words: a flag has no value") {
  for (const char* word : {"--overwrite=", "--overwrite=False", "--no-timestamps=True", "-q=1",
                           "--dry-run=false", "--skip-existing="}) {
    CAPTURE(word);
    CHECK(words_refusal({word, "a.wav"}).find("expected no value") != std::string::npos);
  }
}

TEST_CASE("words: verbose is a flag, and openai-whisper's option with a value") {
  CHECK(options_of_words({"--verbose", "a.wav"}).verbosity == Verbosity::verbose);
  CHECK(options_of_words({"-v", "a.wav"}).inputs.size() == 1);
  CHECK(options_of_words({"a.wav", "--verbose"}).verbosity == Verbosity::verbose);
  for (const char* no : {"False", "false", "None"}) {
    const Options options = options_of_words({"--verbose", no, "a.wav"});
    CHECK(options.verbosity == Verbosity::normal);
    CHECK(options.inputs == std::vector<std::string>{"a.wav"});
  }
  CHECK(options_of_words({"--verbose", "true", "a.wav"}).verbosity == Verbosity::verbose);
  CHECK(options_of_words({"--vad", "true", "a.wav"}).transcribe.vad.enabled);
  const Options options = options_of_words({"--verbose", "True", "a.wav"});
  CHECK(options.verbosity == Verbosity::verbose);
  CHECK(options.inputs == std::vector<std::string>{"a.wav"});
  CHECK(options_of_words({"--verbose=False", "-q", "a.wav"}).verbosity == Verbosity::quiet);
  CHECK_FALSE(words_refusal({"--verbose=maybe", "a.wav"}).empty());
}

TEST_CASE("words: of an option that is repeated the last counts, of --format all") {
  const Options options = options_of_words({"--beam-size", "3", "--beam_size=4", "--output", "a",
                                            "a", "--output", "b", "--overwrite", "--overwrite"});
  CHECK(options.transcribe.beam_size == 4);
  CHECK(options.output == "b");
  CHECK(options_of_words({"-f", "srt", "a", "-f", "vtt"}).formats.size() == 2);
}

TEST_CASE("words: a whole number is decimal digits") {
  for (const char* wrong : {"010x", "0x10", " 5", "5 ", "+5", "5.0", "1e1", "65"}) {
    CAPTURE(wrong);
    CHECK_FALSE(words_refusal({"--beam-size", wrong, "a"}).empty());
  }
  CHECK(options_of_words({"--beam-size", "010", "a"}).transcribe.beam_size == 10);
}

TEST_CASE("words: other commands are read the same way") {
  Other other;
  CHECK(other.run({"measure", "--sizes", "tiny,base", "a.wav", "--check=x", "--json", "[b]"}) == 7);
  CHECK(other.sizes == std::vector<std::string>{"tiny", "base"});
  CHECK(other.files == std::vector<std::string>{"a.wav", "[b]"});
  CHECK(other.mode == "x");
  CHECK_THROWS_AS(Other().run({"measure", "--check=", "a.wav"}), UsageError);
  CHECK_THROWS_AS(Other().run({"measure", "--check", "--json"}), UsageError);
  CHECK_THROWS_AS(Other().run({"measure", "--sizes=,", "a.wav"}), UsageError);
  CHECK_THROWS_AS(Other().run({"measure", "--json=x"}), UsageError);
}

TEST_CASE("words: a command with actions does the one that is named, on its options and files") {
  std::string done;
  std::string mode = "none";
  const auto act = [&](std::string name, bool takes_files) {
    return Subcommand{name, "help",
                      [&mode, takes_files](CLI::App& app) {
                        app.add_option("--check", mode, "a value");
                        if (takes_files) app.add_option("files", "files");
                      },
                      [&done, name](const std::vector<std::string>& given) {
                        done = name + std::to_string(given.size());
                        return 3;
                      }};
  };
  const std::vector<Subcommand> others = {
      {"tool", "help", {}, {}, {act("make", false), act("read", true)}}};
  const auto run = [&](const Words& words) { return parse_command_line(words, others).run(); };
  CHECK(run({"tool", "make", "--check=x"}) == 3);
  CHECK(done == "make0");
  CHECK(mode == "x");
  CHECK(run({"tool", "read", "make", "--check", "y", "b.wav"}) == 3);
  CHECK(done == "read2");
  CHECK(mode == "y");
  const auto is_refused = [&](const Words& words, const std::string& with) {
    CAPTURE(with);
    CHECK_THROWS_WITH_AS(run(words), doctest::Contains(with.c_str()), UsageError);
  };
  is_refused({"tool"}, "tool: expected make or read");
  is_refused({"tool", "mend"}, "tool mend: there is no such action");
  is_refused({"tool", "--check=x", "make"}, "--check: there is no such option");
  is_refused({"tool", "make", "a.wav"}, "make: expected no files, found a.wav");
  const std::string manual = manual_page(others);
  CHECK(manual.find(".SH OPTIONS OF tool make\n") != std::string::npos);
  CHECK(manual.find(".SH OPTIONS OF tool read\n") != std::string::npos);
  CHECK(manual.find(".SH OPTIONS OF tool\n") == std::string::npos);
}
