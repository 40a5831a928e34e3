// `whisper-npu config show`: a file that gives the same options.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/options/exit_code.h"
#include "app/options/settings.h"
#include "tests/app/options/config_user.h"
#include "tests/few_samples.h"
#include "tests/support/json_schema.h"
#include "tests/support/text.h"

using namespace wnpu::app;

namespace {

using Shower = wnpu::tests::ConfigUser;

}  // namespace

TEST_CASE("config show: is a configuration that gives the same, and JSON by its schema") {
  const Shower user(
      "language = \"de\"\nformat = [\"srt\", \"json\"]\ninitial-prompt = \"it's \\\"so\\\"\\n\"\n"
      "[bench]\nthreads = 2\n",
      {{"WHISPER_NPU_BEAM_SIZE", "4"}, {"WHISPER_NPU_VAD", "false"}});
  const std::string shown = user.line({"config", "show"}).text;
  const std::string with_origin = user.line({"config", "show", "--origin"}).text;
  CHECK(Shower(shown).line({"config", "show"}).text == shown);
  CHECK(Shower(with_origin).line({"config", "show"}).text == shown);
  CHECK(with_origin.find("beam-size = 4  # WHISPER_NPU_BEAM_SIZE\n") != std::string::npos);
  CHECK(with_origin.find("config.toml:1\n") != std::string::npos);
  CHECK(with_origin.find("# best-of = 5  # default\n") != std::string::npos);
  const Options again = Shower(shown).options({"--output-dir=out"});
  CHECK(again.transcribe.beam_size == 4);
  CHECK(again.transcribe.initial_prompt == "it's \"so\"\n");
  CHECK(again.formats == std::vector{Format::srt, Format::json});

  using nlohmann::json;
  const json schema = wnpu::tests::schema_of("app/options/config.schema.json");
  const json all = json::parse(user.line({"config", "show", "--json"}).text);
  CHECK(wnpu::tests::schema_fault(schema, all) == "");
  const auto of = [&](const std::string& command, const std::string& option) {
    for (const json& each : all["options"]) {
      if (each["command"] == command && each["option"] == option) return each;
    }
    return json();
  };
  CHECK(of("transcribe", "language")["origin"] == "file");
  CHECK(of("transcribe", "language")["line"] == 1);
  CHECK(of("transcribe", "beam-size")["variable"] == "WHISPER_NPU_BEAM_SIZE");
  CHECK(of("bench", "threads")["values"] == json{"2"});
  CHECK(of("transcribe", "overwrite").is_null());
  CHECK(all["options"].size() > 60);
}

namespace {

// Value in this option's line; "": the line is a comment.
std::string shown_value(const std::string& shown, const std::string& option) {
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(option + " = ")) return line.substr(option.size() + 3);
  }
  return "";
}

// Values in the JSON form that an equivalent file must keep.
nlohmann::json values_shown(const Shower& user) {
  const auto all = nlohmann::json::parse(user.line({"config", "show", "--json"}).text);
  nlohmann::json values;
  for (const auto& each : all["options"]) values[each["option"]] = each["values"];
  return values;
}

// Whether the command line reads the value, whatever other options it needs beside it.
bool is_read(const Shower& user) {
  const std::string told = user.refusal();
  return told.empty() || told.find(" need") != std::string::npos ||
         told.find("exclude each other") != std::string::npos ||
         told.find("has no effect") != std::string::npos;
}

// Difference between a variable and the file that `config show` makes of it; "": none.
std::string difference(const std::string& option, const std::string& value) {
  const std::map<std::string, std::string> variable = {{variable_of(option), value}};
  const Shower by_variable("", variable);
  if (!is_read(by_variable)) return "";
  const std::string shown = by_variable.line({"config", "show"}).text;
  const Shower by_file(shown);
  try {
    if (by_file.line({"config", "show"}).text != shown) return "another file: " + shown;
    if (values_shown(by_file) != values_shown(by_variable)) return "other JSON: " + shown;
  } catch (const UsageError& error) {
    return error.what();
  }
  const auto without_place = [](const std::string& text) { return text.substr(0, text.find(';')); };
  if (without_place(by_file.refusal()) != without_place(by_variable.refusal())) {
    return by_file.refusal() + ", not " + by_variable.refusal();
  }
  return "";
}

}  // namespace

TEST_CASE("config show: is read as a file whatever value an option has") {
  std::vector<std::string> texts = wnpu::tests::split_words(
      "0 1 003 010 0x3 +3 .5 5. 1e-1 1e22 -0 -0.0 inf nan True true FALSE None none False "
      "12345678901234567890123 18446744073709551615 -1 srt srt,json [x] {} = \u00e9\x7f # 0,5 auto "
      "cpu 1G de German");
  texts.insert(texts.end(), {"a \"b\" 'c' \\ \n x\t", "\x27\x27\x27 \"\"\""});
  std::size_t n = 0;
  const nlohmann::json defaults = values_shown(Shower(""));
  for (const auto& [name, ignored] : defaults.items()) {
    for (std::size_t i = n++ % wnpu::tests::kSampleShare; i < texts.size();
         i += wnpu::tests::kSampleShare) {
      const std::string option = name;
      CAPTURE(option);
      CAPTURE(texts[i]);
      CHECK(difference(option, texts[i]) == "");
    }
  }
}

TEST_CASE("config show: numbers and truths have one form") {
  const auto shown = [](const std::string& option, const std::string& value) {
    return shown_value(Shower("", {{variable_of(option), value}}).line({"config", "show"}).text,
                       option);
  };
  CHECK(shown("temperature", ".5") == "0.5");
  CHECK(shown("temperature", "-0") == "0");
  CHECK(shown("beam-size", "003") == "3");
  CHECK(shown("beam-size", "None") == "'None'");
  CHECK(shown("verbose", "None") == "false");
  CHECK(shown("vad", "TRUE") == "true");
  CHECK(shown("seed", "18446744073709551615") == "'18446744073709551615'");
  CHECK(
      Shower("seed = \"18446744073709551615\"\ntemperature = \".5\"\n").options().transcribe.seed ==
      18446744073709551615U);
  // Values that the command line refuses are kept, for the file to be refused as well.
  CHECK(shown("beam-size", "+3") == "'+3'");
  CHECK(shown("beam-size", "0x3") == "'0x3'");
  // No file can have it: the line says so, and all others are read.
  const std::string bytes =
      Shower("", {{"WHISPER_NPU_OUTPUT_DIR", "a\xff"}, {"WHISPER_NPU_SEED", "3"}})
          .line({"config", "show"})
          .text;
  CHECK(bytes.find("# output-dir has a value that is no UTF-8\n") != std::string::npos);
  CHECK(shown_value(Shower(bytes).line({"config", "show"}).text, "seed") == "3");
}
