#include "app/options/options.h"

#include <doctest/doctest.h>

#include "app/cli/command_line.h"
#include "app/engine/windows/clips.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "decoder/search/decode_options.h"
#include "tests/support/text.h"

namespace {

using namespace wnpu::app;

CommandLine parse(std::vector<const char*> arguments) { return parse_command_line(arguments); }

Options transcribe_options(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "transcribe");
  return parse(std::move(arguments)).options;
}

// The message of the refusal; empty where there is none.
std::string option_refusal(std::vector<const char*> arguments) {
  return wnpu::tests::message_of<UsageError>([&] { parse(std::move(arguments)); });
}

}  // namespace

TEST_CASE("options: defaults are openai-whisper's") {
  const Options options = transcribe_options({"a.wav"});
  CHECK(options.inputs == std::vector<std::string>{"a.wav"});
  CHECK(options.model == "tiny.en");
  CHECK(options.device.requested == "auto");
  CHECK(options.threads == 0);
  CHECK(options.formats.empty());
  CHECK(options.transcribe.language.empty());
  CHECK(options.transcribe.beam_size == 5);
  CHECK(options.transcribe.best_of == 5);
  CHECK(options.transcribe.temperature == 0);
  CHECK(options.transcribe.temperature_increment_on_fallback == 0.2);
  CHECK(options.transcribe.compression_ratio_threshold == 2.4);
  CHECK(options.transcribe.logprob_threshold == -1.0);
  CHECK(options.transcribe.no_speech_threshold == 0.6);
  CHECK(options.transcribe.condition_on_previous_text);
  CHECK(options.transcribe.suppress_tokens == std::vector<std::int32_t>{-1});
}

TEST_CASE("options: openai-whisper's spelling with underscores means the same") {
  const Options options = transcribe_options({"--beam_size", "3", "--no_speech_threshold=0.5",
                                              "--output_dir", "a_b", "--output_format", "srt",
                                              "--condition_on_previous_text", "False", "x_y.wav"});
  CHECK(options.transcribe.beam_size == 3);
  CHECK(options.transcribe.no_speech_threshold == 0.5);
  CHECK(options.output_dir == "a_b");
  CHECK(options.formats == std::vector{Format::srt});
  CHECK_FALSE(options.transcribe.condition_on_previous_text);
  CHECK(options.inputs == std::vector<std::string>{"x_y.wav"});
  CHECK(transcribe_options({"--", "--odd_name.wav"}).inputs.front() == "--odd_name.wav");
}

TEST_CASE("options: formats are repeatable and never taken twice") {
  CHECK(transcribe_options({"--format", "json", "a.wav", "--format", "srt,json"}).formats ==
        std::vector{Format::json, Format::srt});
  CHECK(transcribe_options({"--format", "all", "a.wav"}).formats.size() == kFormats.size() - 1);
}

TEST_CASE("options: a language is a code, a name, or to be detected") {
  CHECK(transcribe_options({"--language", "de", "a"}).transcribe.language == "de");
  CHECK(transcribe_options({"--language", "German", "a"}).transcribe.language == "de");
  CHECK(transcribe_options({"--language", "auto", "a"}).transcribe.language.empty());
  CHECK(option_refusal({"transcribe", "--language", "klingon", "a"}) ==
        "--language: klingon is no language Whisper knows: expected a code (en, zh), an English "
        "name or a tag "
        "(pt-BR) (see --help)");
}

TEST_CASE("options: raw samples on stdin are described") {
  const Options options = transcribe_options({"--stdin-format", "f32le:8000:2", "-"});
  CHECK(options.stdin_format == "f32le:8000:2");
  for (const char* wrong : {"s16le", "s16le:16000", "mp3:16000:1", "s16le:0:1", "s16le:16000:0",
                            "s16le:16k:1", "s16le:16000:1:1", ""}) {
    CAPTURE(wrong);
    CHECK_FALSE(option_refusal({"transcribe", "--stdin-format", wrong, "-"}).empty());
  }
  CHECK(option_refusal({"transcribe", "--stdin-format", "s16le:16000:1", "a.wav"}) ==
        "--stdin-format is for stdin: give - as a file");
}

TEST_CASE("options: a size is bytes, or so many of a unit") {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
  std::uint64_t binary = 1;
  std::uint64_t decimal = 1;
  for (const std::string letter : {"", "K", "M", "G", "T"}) {
    const auto holds = [](const std::string& unit, std::uint64_t bytes) {
      CAPTURE(unit);
      for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{300}, kMost / bytes}) {
        CHECK(parse_size("--size", std::to_string(n) + unit) == n * bytes);
      }
      for (const std::uint64_t n : {std::uint64_t{0}, kMost / bytes + 1}) {
        CHECK_THROWS_AS(parse_size("--size", std::to_string(n) + unit), CLI::ValidationError);
      }
    };
    holds(letter, binary);
    if (!letter.empty()) holds(letter + "iB", binary);
    if (!letter.empty()) holds(letter + "B", decimal);
    binary *= 1024;
    decimal *= 1000;
  }
  for (const char* text : {"", "M", "-1", "+1", " 1", "1 M", "1.5G", "1B", "1iB", "1k", "1MI",
                           "1MBB", "1MiBs", "1P", "1KM", "0x10", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_size("--size", text), CLI::ValidationError);
  }
}

TEST_CASE("options: what makes no sense is refused in one line") {
  const std::vector<std::vector<const char*>> wrong = {
      {},
      {"sing"},
      {"--json"},
      {"transcribe"},
      {"transcribe", "--unknown", "a"},
      {"transcribe", "a", "--model"},
      {"transcribe", "--device", "cuda", "a"},
      {"transcribe", "--format", "xml", "a"},
      {"transcribe", "--task", "sing", "a"},
      {"transcribe", "--threads", "-1", "a"},
      {"transcribe", "--threads", "two", "a"},
      {"transcribe", "--beam-size", "0", "a"},
      {"transcribe", "--temperature", "nan", "a"},
      {"transcribe", "--temperature", "1.5", "a"},
      {"transcribe", "--logprob-threshold", "low", "a"},
      {"transcribe", "--condition-on-previous-text", "maybe", "a"},
      {"transcribe", "--suppress-tokens", "1,x", "a"},
      {"transcribe", "--clip-timestamps", "5,1", "a"},
      {"transcribe", "--quiet", "--verbose", "a"},
      {"transcribe", "--overwrite", "--skip-existing", "a"},
      {"transcribe", "--output", "b", "--output-dir", "c", "a"},
      {"transcribe", "-", "-"},
  };
  for (const auto& arguments : wrong) {
    const std::string message = option_refusal(arguments);
    CAPTURE(arguments.empty() ? "" : arguments.back());
    CHECK_FALSE(message.empty());
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("file options: every window has them, as the decoder takes them") {
  wnpu::TranscribeOptions file;
  file.task = wnpu::Task::translate;
  file.beam_size = 3;
  file.best_of = 4;
  file.patience = 1.5;
  file.length_penalty = 0.25;
  file.repetition_penalty = 1.25;
  file.no_repeat_ngram_size = 2;
  file.seed = 7;
  file.suppress_tokens = {5, 6};
  file.suppress_blank = false;
  file.max_initial_timestamp.reset();
  file.without_timestamps = true;
  file.sample_len = 9;
  const auto window = wnpu::decoder::decode_options_of(file);
  CHECK(window.task == wnpu::decoder::Task::translate);
  CHECK(window.beam_size == 3);
  CHECK(window.best_of == 4);
  CHECK(window.patience == 1.5F);
  CHECK(window.length_penalty == 0.25F);
  CHECK(window.repetition_penalty == 1.25F);
  CHECK(window.no_repeat_ngram_size == 2);
  CHECK(window.seed == 7);
  CHECK(window.suppress_tokens == file.suppress_tokens);
  CHECK_FALSE(window.suppress_blank);
  CHECK_FALSE(window.max_initial_timestamp);
  CHECK(window.without_timestamps);
  CHECK(window.sample_len == 9);
}

TEST_CASE("file options: one beam is greedy, no length is the decoder's own, defaults are equal") {
  wnpu::TranscribeOptions file;
  file.beam_size = 1;
  const wnpu::decoder::DecodeOptions normal;
  const auto window = wnpu::decoder::decode_options_of(file);
  CHECK_FALSE(window.beam_size);
  CHECK_FALSE(window.sample_len);
  CHECK(window.max_initial_timestamp == normal.max_initial_timestamp);
  CHECK(window.patience == normal.patience);
  CHECK(window.suppress_tokens == normal.suppress_tokens);
}

TEST_CASE("clips: half a frame is rounded to even, as openai-whisper does it") {
  CHECK(to_frame(0.125) == 12);
  CHECK(to_frame(3.205) == 320);
  CHECK(to_frame(0.135) == 14);
  CHECK(to_frame(10.0) == 1000);
}

TEST_CASE("clips: a warning names the field, and the command line the option") {
  wnpu::TranscribeOptions file;
  file.clip_timestamps = {0, 12};
  std::vector<std::string> warnings;
  warn_of_clips_beyond(12, file, warnings);
  CHECK(warnings.empty());
  warn_of_clips_beyond(11, file, warnings);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "clip_timestamps: 00:12.000 is beyond the end, 00:11.000");
  wnpu::Transcript transcript;
  transcript.warnings = {warnings[0], "cut short"};
  CHECK(with_option_names(transcript).warnings ==
        std::vector<std::string>{"--clip-timestamps: 00:12.000 is beyond the end, 00:11.000",
                                 "cut short"});
}
