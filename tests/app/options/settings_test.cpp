// Options from the configuration file and the environment.
#include "app/options/settings.h"

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/cli/command_line.h"
#include "app/options/exit_code.h"
#include "tests/app/options/config_user.h"
#include "tests/few_samples.h"
#include "tests/support/text.h"

using namespace wnpu::app;
using wnpu::tests::has;

namespace {

using User = wnpu::tests::ConfigUser;
using Variables = std::map<std::string, std::string>;
using Words = std::vector<const char*>;

}  // namespace

TEST_CASE(
    "config: a flag counts before the environment, that before the file, that before the default") {
  const Variables variable = {{"WHISPER_NPU_BEAM_SIZE", "4"}};
  const std::string file = "beam-size = 3\n";
  CHECK(User("").options().transcribe.beam_size == 5);
  CHECK(User(file).options().transcribe.beam_size == 3);
  CHECK(User("", variable).options().transcribe.beam_size == 4);
  CHECK(User(file, variable).options().transcribe.beam_size == 4);
  CHECK(User(file, variable).options({"--beam-size", "2"}).transcribe.beam_size == 2);
  CHECK(User(file, variable).options({"--beam_size=None"}).transcribe.beam_size == 1);
}

TEST_CASE("config: lists are replaced, not added to") {
  const User user("format = [\"srt\", \"vtt\"]\noutput-dir = \"out\"\n");
  CHECK(user.options().formats == std::vector{Format::srt, Format::vtt});
  CHECK(user.options({"--format", "json"}).formats == std::vector{Format::json});
  CHECK(User("format = \"srt,json\"\n").options().formats ==
        std::vector{Format::srt, Format::json});
  CHECK(User("clip-timestamps = [1, 2.5]\n").options().transcribe.clip_timestamps ==
        std::vector{1.0, 2.5});
  CHECK(User("suppress-tokens = []\n").options().transcribe.suppress_tokens.empty());
  CHECK(User("operator = [\"a.so\", \"b.so\"]\nnpu-operator = \"gelu=x\"\ndevice = \"sim\"")
            .options()
            .device.operators == std::vector<std::string>{"a.so", "b.so"});
}

TEST_CASE("config: a flag is true or false, and an empty variable is none") {
  CHECK(User("no-timestamps = true\n").options().transcribe.without_timestamps);
  CHECK_FALSE(User("no-timestamps = false\n").options().transcribe.without_timestamps);
  const auto timed = [](const char* value) {
    return !User("no-timestamps = true\n", {{"WHISPER_NPU_NO_TIMESTAMPS", value}})
                .options()
                .transcribe.without_timestamps;
  };
  CHECK(timed("False"));
  CHECK(timed("0"));
  CHECK_FALSE(timed("True"));
  CHECK_FALSE(timed(""));
  CHECK(User("", {{"WHISPER_NPU_NO_TIMESTAMPS", "no"}}).refusal() ==
        "WHISPER_NPU_NO_TIMESTAMPS: expected True or False, found no");
}

TEST_CASE("config: tables are commands', what stands above them is transcribe's") {
  const User user("[transcribe]\nbeam_size = 3\n[bench]\nbeam-size = 2\ncpu_threads = 1\n");
  CHECK(user.options().transcribe.beam_size == 3);
  CHECK(user.bench().transcribe.beam_size == 2);
  CHECK(user.bench().threads == 1);
  CHECK(User("beam-size = 3\n").bench().transcribe.beam_size == 5);
  CHECK(User("bench.beam-size = 3\n").bench().transcribe.beam_size == 3);
  CHECK(User("", {{"WHISPER_NPU_BEAM_SIZE", "4"}}).bench().transcribe.beam_size == 5);
}

TEST_CASE("config: what is no option is told with its line and what is close") {
  CHECK(User("model = \"a\"\nbeem-size = 3\n").refusal() ==
        "config.toml:2: beem-size: there is no such option of transcribe; did you mean beam-size?");
  CHECK(User("\n[bensh]\nthreads = 3\n").refusal() ==
        "config.toml:2: bensh: there is no such command; did you mean bench?");
  CHECK(User("[bench]\n\nthread = 3\n").refusal() ==
        "config.toml:3: thread: there is no such option of bench; did you mean threads?");
  CHECK(User("compute_type = \"int8\"\n").refusal() ==
        "config.toml:1: compute_type: write --precision fp32, int16 or int8");
  CHECK(User("beam-size = 1\n[transcribe]\nbeam_size = 1\n").refusal() ==
        "config.toml:3: beam_size: is there already, in line 1");
  CHECK(has(User("format = \"srt\"\noutput-format = \"srt\"\n").refusal(), "already"));
  CHECK(
      has(User("", {{"WHISPER_NPU_FORMAT", "srt"}, {"WHISPER_NPU_OUTPUT_FORMAT", "srt"}}).refusal(),
          "are one option"));
}

TEST_CASE("config: what a file may not decide") {
  for (const char* name : {"overwrite", "help", "config"}) {
    CHECK(User(std::string(name) + " = true\n").refusal() ==
          "config.toml:1: " + std::string(name) + ": is taken from the command line alone");
  }
  CHECK(has(User("files = \"a.wav\"\n").refusal(), "no such option"));
  CHECK(has(User("version = true\n").refusal(), "no such option"));
  CHECK(User("", {{"WHISPER_NPU_OVERWRITE", "True"}}).refusal() ==
        "WHISPER_NPU_OVERWRITE: --overwrite is taken from the command line alone");
}

TEST_CASE("config: a value of another kind is told") {
  const auto told = [](const std::string& line) { return User(line + "\n").refusal(); };
  CHECK(told("seed = \"x\"") == "config.toml:1: seed: expected a whole number, found a string");
  CHECK(told("seed = 3.5") == "config.toml:1: seed: expected a whole number, found a number");
  CHECK(told("seed = true") == "config.toml:1: seed: expected a whole number, found true or false");
  CHECK(told("patience = \"x\"") ==
        "config.toml:1: patience: expected a number, or \"None\", found a string");
  CHECK(told("vad = \"True\"") == "config.toml:1: vad: expected true or false, found a string");
  CHECK(told("quiet = 1") == "config.toml:1: quiet: expected true or false, found a whole number");
  CHECK(told("model = false") == "config.toml:1: model: expected a string, found true or false");
  CHECK(told("model = [\"a\"]") == "config.toml:1: model: expected a string, found an array");
  CHECK(told("model = 1979-05-27") ==
        "config.toml:1: model: expected a string, found a date or time");
  CHECK(told("beam-size.x = 1") ==
        "config.toml:1: beam-size: expected a whole number, or \"None\", found a table");
  CHECK(told("format = []") == "config.toml:1: format: expected a value, found an empty array");
  CHECK(told("format = [[\"srt\"]]") == "config.toml:1: format: expected a string, found an array");
  CHECK(told("[[bench]]").find("config.toml:1: bench: ") == 0);
  CHECK(has(told("model = \"a\\u0000b\""), "code 0"));
  CHECK(told("model = \"\"").find("--model: expected a value, found nothing") == 0);
}

TEST_CASE("config: an error of the engine says where its option comes from, and keeps its code") {
  const Origins origins = {{"--beam-size", "WHISPER_NPU_BEAM_SIZE"}, {"--model", "c.toml:1"}};
  const auto told = [&](const std::exception& error, const std::function<void()>& throw_it) {
    try {
      run_with_origins(origins, [&] { return throw_it(), 0; });
    } catch (const std::exception& found) {
      CHECK(exit_code_of(found) == exit_code_of(error));
      return text_of(found);
    }
    return std::string();
  };
  const auto of = [&](const auto& error) { return told(error, [&] { throw error; }); };
  CHECK(of(wnpu::Error("beam_size", ": too many")) ==
        "--beam-size: too many; --beam-size is from WHISPER_NPU_BEAM_SIZE");
  CHECK(of(wnpu::Error("patience", ": too much")) == "--patience: too much");
  CHECK(of(wnpu::Error(wnpu::ErrorCode::model, "m: damaged")) ==
        "m: damaged; --model is from c.toml:1");
  CHECK(of(wnpu::Error(wnpu::ErrorCode::device, "npu: gone")) == "npu: gone");
  CHECK(of(wnpu::Error(wnpu::ErrorCode::audio, "a.wav: --model")) == "a.wav: --model");
  CHECK(of(OutputError("a.srt: full")) == "a.srt: full");
}

TEST_CASE("config: a message says where an option comes from") {
  CHECK(User("\nbeam-size = 99\n").refusal() ==
        "--beam-size: expected a whole number from 1 to 64, found 99 (see --help); --beam-size is "
        "from config.toml:2");
  CHECK(User("", {{"WHISPER_NPU_LANGUAGE", "klingon"}}).refusal() ==
        "--language: klingon is no language Whisper knows: expected a code (en, zh), an English "
        "name or a tag "
        "(pt-BR) (see --help); --language is from "
        "WHISPER_NPU_LANGUAGE");
  const User user("carry-initial-prompt = true\n");
  CHECK(user.refusal().ends_with("; --carry-initial-prompt is from config.toml:1"));
  CHECK_FALSE(has(user.refusal({"transcribe", "--carry-initial-prompt=True", "a.wav"}), "from"));
  CHECK(has(User("quiet = true\n").refusal({"transcribe", "--verbose", "a.wav"}),
            "--quiet is from config.toml:1"));
  CHECK(has(User("skip-existing = true\n").refusal({"transcribe", "--overwrite", "a.wav"}),
            "--skip-existing is from config.toml:1"));
  CHECK(has(User("output-dir = \"x\"\n").refusal({"transcribe", "--output=y", "a.wav"}),
            "--output-dir is from config.toml:1"));
}

TEST_CASE("config: another file by option or variable, and none") {
  const User user("beam-size = 3\n");
  const std::string other = user.folder().make_file("other.toml", "beam-size = 2\n").string();
  const std::string named = "--config=" + other;
  CHECK(user.options({named.c_str()}).transcribe.beam_size == 2);
  CHECK(user.options({"--config", other.c_str()}).transcribe.beam_size == 2);
  CHECK(user.options({"--config="}).transcribe.beam_size == 5);
  CHECK(User("beam-size = 3\n", {{"WHISPER_NPU_CONFIG", other}}).options().transcribe.beam_size ==
        2);
  CHECK(User("beam-size = 3\n", {{"WHISPER_NPU_CONFIG", ""}}).options().transcribe.beam_size == 5);
  CHECK(
      User("", {{"WHISPER_NPU_CONFIG", "/no/such"}}).options({"--config="}).transcribe.beam_size ==
      5);
  CHECK(User("", {{"WHISPER_NPU_CONFIG", "/no/such"}}).refusal() ==
        "/no/such: expected a configuration file, found No such file or directory");
  CHECK(user.refusal({"transcribe", "--config=/dev/zero", "a.wav"}) ==
        "/dev/zero: expected a configuration file, found more than 1 MiB");
  CHECK(has(user.refusal({"transcribe", "--config=/", "a.wav"}), "Is a directory"));
}

TEST_CASE("config: what only tells something does so whatever the file says") {
  const User user("no such = thing\n");
  CHECK(user.line({"--version"}).command == Command::print);
  CHECK(user.line({"transcribe", "--help"}).command == Command::print);
  CHECK(user.line({"config", "path"}).text ==
        (user.folder().path() / "config.toml").string() + "\n");
  CHECK(user.refusal({"config", "show"}).find("config.toml:1: ") == 0);
  CHECK(user.refusal({"config"}) == "config: expected show or path (see --help)");
  CHECK(has(user.refusal({"config", "show", "a.wav"}), "expected no files"));
}

TEST_CASE("config: variables that are no option's are told where they are close to one's") {
  const auto notes = [](const std::string& variable) {
    return User("", {{variable, "x"}}).line({"transcribe", "a.wav"}).notes;
  };
  CHECK(notes("WHISPER_NPU_BEEM_SIZE") ==
        std::vector<std::string>{"WHISPER_NPU_BEEM_SIZE: there is no such option; did you mean "
                                 "WHISPER_NPU_BEAM_SIZE?"});
  CHECK(notes("WHISPER_NPU_HUB").empty());
}

TEST_CASE("config: WHISPER_NPU_XCLBIN stays the engine's, and counts before the file") {
  const User user("xclbin = \"mine.xclbin\"\n", {{"WHISPER_NPU_XCLBIN", "other.xclbin"}});
  CHECK(user.options({"--device=cpu"}).device.xclbin.empty());
  CHECK(user.options({"--device=npu", "--xclbin=third.xclbin"}).device.xclbin == "third.xclbin");
  CHECK(has(user.line({"config", "show", "--origin"}).text,
            "xclbin = 'other.xclbin'  # WHISPER_NPU_XCLBIN\n"));
  CHECK(User("xclbin = \"mine.xclbin\"\n").options({"--device=npu"}).device.xclbin ==
        "mine.xclbin");
}

namespace {

// `text` with one place changed.
std::string damaged(std::string text, std::mt19937& random) {
  static const std::string kMarks = "[]{}\"'=#.,\\\n\r\t 0eE+-_:\x80\xff\xc3";
  const auto below = [&](std::size_t n) { return random() % n; };
  const char mark = kMarks[below(kMarks.size())];
  const std::size_t at = below(text.size());
  switch (below(5)) {
    case 0:
      text[at] = static_cast<char>(below(256));
      break;
    case 1:
      text[at] = mark;
      break;
    case 2:
      text.erase(at, 1 + below(20));
      break;
    case 3:
      text.insert(at, text.substr(below(text.size()), below(40)));
      break;
    default:
      text.insert(at, std::string(below(600), mark));
  }
  return text.empty() ? "=" : text;
}

}  // namespace

TEST_CASE("config: damaged files are refused, or read, and nothing else") {
  const std::string whole =
      "# mine\nmodel = \"small\"\nlanguage = 'de'\nbeam-size = 3\npatience = 1.5\nformat = "
      "[\"srt\", \"json\"]\nclip-timestamps = [0, 1e1]\nvad = false\ninitial-prompt = \"\"\"a\n"
      "\\u00e9\"\"\"\n[bench]\nthreads = 0x2\n[transcribe]\nseed = 7\nquiet = true\n";
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::size_t n_refused = 0;
  std::size_t n_read = 0;
  REQUIRE(User(whole).refusal().empty());
  for (std::size_t i = 0; i < 2000 / wnpu::tests::kSampleShare; ++i) {
    std::string text = whole;
    for (std::size_t n = 1 + random() % 4; n > 0; --n) text = damaged(text, random);
    CAPTURE(text);
    try {
      const ConfigNode node = parse_config(text, "config.toml");
      CHECK(node.kind == ConfigNode::Kind::table);
      ++n_read;
    } catch (const UsageError& error) {
      CHECK(std::string(error.what()).starts_with("config.toml:"));
      ++n_refused;
    }
    if (i % 20 == 0) {
      const User user(text);
      CHECK_NOTHROW(user.refusal());
    }
  }
  CHECK(n_refused > 0);
  CHECK(n_read > 0);
  const std::string deep(100000, '[');
  CHECK_THROWS_AS(parse_config("x = " + deep, "config.toml"), UsageError);
}

TEST_CASE("config: a key of 28,000 dotted parts is refused, dots in text and numbers are not") {
  std::string key = "a";
  for (int i = 0; i < 28000; ++i) key += ".a";
  std::string quoted = "'='";
  for (int i = 0; i < 28000; ++i) quoted += R"( . "\"=" . '#')";
  for (const std::string& text :
       {key + " = 1", "[" + key + "]", "[[" + key + "]]", "x = { b = 1, " + key + " = 1 }",
        quoted + " = 1", "b = \"\"\"x\"\"\"\"\n" + key + " = 1"}) {
    const std::string expected = ": expected keys of at most 16 parts, found more";
    CHECK_THROWS_WITH_AS(parse_config(text, "config.toml"), doctest::Contains(expected.c_str()),
                         UsageError);
  }
  const std::string dots(100, '.');
  const ConfigNode read = parse_config(
      "a = \"\"\"" + dots + "\n\\\"\"\" " + dots + "\"\"\"\"\" # " + dots + " '\nb = '" + dots +
          "'\nc = [1.5, 2.5]\nd.e.f = \"" + dots + "\\\"" + dots + "\"",
      "config.toml");
  CHECK(read.keys.size() == 4);
}
