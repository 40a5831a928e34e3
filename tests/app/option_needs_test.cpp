// Options of other programs, entry by entry, and options that would do nothing.
#include <doctest/doctest.h>

#include "app/cli/command_line.h"
#include "app/commands/stream_command.h"
#include "app/formats/writers.h"
#include "app/options/exit_code.h"
#include "app/options/foreign_options.h"
#include "app/options/options.h"
#include "tests/support/text.h"

namespace {

using namespace wnpu::app;
using wnpu::tests::has;
using Words = std::vector<const char*>;

Options parsed_options(Words words) {
  words.insert(words.begin(), "transcribe");
  words.push_back("a.wav");
  const Options options = parse_command_line(words).options;
  CHECK(options.inputs == std::vector<std::string>{"a.wav"});
  return options;
}

std::string needs_refusal(Words words) {
  return wnpu::tests::message_of<UsageError>([&] { parsed_options(std::move(words)); });
}

// Words as a shell splits them.
std::string refusal_of_line(const std::string& line) {
  const std::vector<std::string> split = wnpu::tests::split_words(line);
  Words words;
  for (const std::string& word : split) words.push_back(word.c_str());
  return needs_refusal(words);
}

}  // namespace

TEST_CASE("other programs: every option of openai-whisper is taken with its default and None") {
  const std::vector<std::string> theirs = wnpu::tests::split_words(
      "--model turbo --model_dir /models --device cpu --output_dir . --output_format all "
      "--verbose True --task transcribe --language None --temperature 0 --best_of 5 --beam_size 5 "
      "--patience None --length_penalty None --suppress_tokens -1 --initial_prompt= "
      "--carry_initial_prompt False --condition_on_previous_text True --fp16 True "
      "--temperature_increment_on_fallback 0.2 --compression_ratio_threshold 2.4 "
      "--logprob_threshold -1.0 --no_speech_threshold 0.6 --word_timestamps False "
      "--prepend_punctuations \"'“¿([{- --append_punctuations \"'.。,，!！?？:：”)]}、 "
      "--highlight_words False --max_line_width None --max_line_count None "
      "--max_words_per_line None --threads 0 --clip_timestamps 0 "
      "--hallucination_silence_threshold None");
  Words words;
  for (const std::string& word : theirs) words.push_back(word.c_str());
  const Options options = parsed_options(words);
  CHECK(options.model_dir == "/models");
  CHECK(options.transcribe.patience == 1);
  const Options none = parsed_options(
      {"--beam_size", "None", "--best_of", "None", "--threads", "None",
       "--temperature_increment_on_fallback", "None", "--compression_ratio_threshold", "None",
       "--logprob_threshold", "None", "--no_speech_threshold", "None", "--language", "Auto"});
  CHECK(none.transcribe.beam_size == 1);
  CHECK(none.transcribe.best_of == 1);
  CHECK(none.threads == 0);
}

TEST_CASE("precision: openai-whisper's fp16 False is fp32, and so is OpenBLAS") {
  using wnpu::kernels::Gemm;
  for (const auto& [words, precision, gemm] :
       {std::tuple{Words{}, "auto", Gemm::own},
        {{"--fp16", "False"}, "fp32", Gemm::own},
        {{"--fp16", "False", "--precision", "fp32"}, "fp32", Gemm::own},
        {{"--fp16", "True", "--precision", "int8"}, "int8", Gemm::own},
        {{"--gemm", "own", "--precision", "int8"}, "int8", Gemm::own},
        {{"--gemm", "blas"}, "fp32", Gemm::blas},
        {{"--gemm", "blas", "--precision", "fp32"}, "fp32", Gemm::blas},
        {{"--precision", "fp32", "--gemm", "blas"}, "fp32", Gemm::blas}}) {
    const std::size_t n_words = words.size();
    CAPTURE(n_words);
    CHECK(parsed_options(words).device.cpu_precision == precision);
    CHECK(parsed_options(words).gemm == gemm);
  }
  CHECK_FALSE(needs_refusal({"--fp16", "False", "--precision", "int8"}).empty());
}

TEST_CASE("other programs: their names are ours, or the message says what to write") {
  for (const ForeignOption& foreign : foreign_options()) {
    CAPTURE(foreign.name);
    const std::string option = "--" + std::string(foreign.name);
    const std::string given = option + "=True";
    const std::string message = needs_refusal({given.c_str()});
    if (foreign.ours.empty()) {
      CHECK(message == option + ": " + std::string(foreign.advice) + " (see --help)");
    } else {
      CHECK_FALSE(has(message, "there is no such option"));
    }
  }
  CHECK(parsed_options({"--vad_filter", "True"}).transcribe.vad.enabled);
  CHECK(parsed_options({"--model_directory=/m"}).model == "/m");
  CHECK(parsed_options({"--max_new_tokens", "9"}).transcribe.sample_len == 9);
  CHECK(parsed_options({"--cpu_threads", "3"}).threads == 3);
  CHECK(has(needs_refusal({"--device", "cuda"}), "nothing runs on a GPU here"));
}

TEST_CASE("other programs: what their options' advice names is there") {
  const auto is_taken = [](const std::string& name, const Words& above) {
    Words words = above;
    const std::string word = name + "=?";
    words.push_back(word.c_str());
    try {
      parse_command_line(words, std::vector<Subcommand>{stream_command()});
    } catch (const UsageError& error) {
      return !has(std::string(error.what()), "there is no such option");
    }
    return true;
  };
  std::size_t n_named = 0;
  for (const ForeignOption& foreign : foreign_options()) {
    const std::string advice(foreign.advice);
    const bool is_streams = has(advice, "write stream ");
    for (std::size_t at = advice.find("--"); at != std::string::npos;
         at = advice.find("--", at + 2)) {
      const std::string name = advice.substr(at, advice.find_first_of(" ,", at) - at);
      CAPTURE(name);
      CHECK(is_taken(name, {is_streams ? "stream" : "transcribe"}));
      ++n_named;
    }
  }
  CHECK(n_named > 8);
  const auto told = [](const char* option) { return needs_refusal({option, "1"}); };
  CHECK(has(told("--live_transcribe"), "stream --device-input"));
  CHECK(has(told("--live_input_device"), "stream --device-input"));
  CHECK(has(told("--live_volume_threshold"), "stream --vad-threshold"));
  CHECK(has(told("--local_files_only"), "--offline"));
  CHECK(has(told("--device_index"), "--device npu:1"));
}

TEST_CASE("other programs: -osrt of whisper.cpp is no folder") {
  for (const FormatName& format : kFormats) {
    const std::string word = "-o" + std::string(format.name);
    const std::string beside = format.format == Format::text ? "" : " --beside";
    CHECK(needs_refusal({word.c_str()}) ==
          word + ": -o is --output-dir, a folder: write --format " + std::string(format.name) +
              beside + "; a folder of that name is -o=" + std::string(format.name) +
              " (see --help)");
  }
  for (const char* word : {"-oall", "-oj", "-ojf", "-owts", "-qosrt"}) {
    CHECK(has(needs_refusal({word}), "write --format "));
  }
  CHECK(has(needs_refusal({"-of"}), "write --output talk.srt"));
  CHECK(has(needs_refusal({"-ot"}), "write --clip-timestamps"));
  CHECK(parsed_options({"-o=txt"}).output_dir == "txt");
  CHECK(parsed_options({"-o", "txt"}).output_dir == "txt");
  CHECK(parsed_options({"-osubtitles"}).output_dir == "subtitles");
}

TEST_CASE("needs: an option that would do nothing is refused") {
  for (const std::string line :
       {"--vad-threshold 0.4 --vad False",
        "--vad-neg-threshold 0.4 --vad False",
        "--vad-model x --vad False",
        "--vad-min-speech-duration-ms 9 --vad False",
        "--vad-min-silence-duration-ms 9 --vad False",
        "--vad-speech-pad-ms 9 --vad False",
        "--vad-threshold 0.4 --batch-size 2 --clip-timestamps 0,5",
        "--vad-threshold 0.4 --clip-timestamps 0,5",
        "--npu-preset phoenix-1.0/goal",
        "--npu-preset phoenix-1.0/goal --device npu",
        "--npu-preset nope --device sim",
        "--npu-plan hybrid --device cpu",
        "--npu-precision int8 --device cpu",
        "--npu-precision int8 --npu-plan hybrid --device sim",
        "--npu-plan-file p.json --device cpu",
        "--pool-padding True --device sim",
        "--pool-padding True --device npu:0,npu:1",
        "--gemm blas --precision int8",
        "--gemm blas --precision int16",
        "--fallback cpu --device cpu",
        "--npu-operator gelu=gelu --device cpu",
        "--operator /nope --device sim",
        "--xclbin /nope --device cpu",
        "--xclbin /nope --device sim",
        "--max-line-count 2 --word-timestamps True",
        "--max-words-per-line 2 --max-line-width 9 --max-line-count 2",
        "--highlight-words True --word-timestamps False",
        "--subtitle-rules bbc --word-timestamps False",
        "--subtitle-rules bbc --max-line-width 40",
        "--subtitle-rules bbc --max-words-per-line 4",
        "--subtitle-rules bbc --highlight-words True",
        "--append-punctuations ! --word-timestamps False",
        "--prepend-punctuations= --word-timestamps False",
        "--hallucination-silence-threshold 2 --word-timestamps False",
        "--beam-size 3 --temperature 0.5",
        "--patience 2 --beam-size 1",
        "--best-of 3 --temperature-increment-on-fallback None",
        "--seed 3 --temperature-increment-on-fallback None",
        "--length-penalty 0.5 --beam-size 1 --best-of 1",
        "--compression-ratio-threshold 2 --temperature-increment-on-fallback None",
        "--carry-initial-prompt True",
        "--language-detection-threshold 0.7 --language en",
        "--language-detection-segments 3 --language en"}) {
    CAPTURE(line);
    const std::string message = refusal_of_line(line);
    CAPTURE(message);
    CHECK((has(message, "has no effect: it needs") || has(message, "time preset")));
  }
}

TEST_CASE("needs: what is needed makes an option welcome, and so does its default") {
  for (const std::string line :
       {"--vad-threshold 0.4 --vad True", "--vad-threshold 0.4 --batch-size 2",
        "--max-words-per-line 2 --max-line-width 9", "--npu-preset phoenix-1.0/goal --device sim",
        "--npu-plan hybrid --fallback cpu --xclbin /x",
        "--npu-operator gelu=g --operator /x --operator /y --device sim",
        "--npu-plan fused --device cpu --fallback none", "--npu-plan-file p.json --device sim",
        "--pool-padding True --device cpu,sim", "--pool-padding True --device npu --fallback cpu",
        "--max-line-count 2 --max-line-width 20 --word-timestamps true",
        "--subtitle-rules plain --max-line-width 20 --highlight-words True",
        "--patience 1.0 --beam-size 1", "--best-of 3 --temperature 0.5",
        "--temperature 0.5 --beam-size 5", "--carry-initial-prompt True --initial-prompt Hi"}) {
    CAPTURE(line);
    CHECK(refusal_of_line(line) == "");
  }
  CHECK(parsed_options({"--pool-padding", "True"}).transcribe.pool_padding);
  for (const char* device : {"sim", "cpu", "auto"}) {
    CHECK(parsed_options({"--memory-limit", "3M", "--device", device}).device.memory_limit ==
          3U << 20U);
  }
}

TEST_CASE("needs: batches of clips ask for no detector") {
  const Options options = parsed_options({"--batch-size", "16", "--clip-timestamps", "0,5"});
  CHECK_FALSE(options.transcribe.vad.enabled);
  CHECK(parsed_options({"--batch-size", "16"}).transcribe.vad.enabled);
  CHECK(parsed_options({"--batch-size", "16", "--clip-timestamps", "0"}).transcribe.vad.enabled);
  CHECK_FALSE(needs_refusal({"--vad", "True", "--clip-timestamps", "0,5"}).empty());
  CHECK_FALSE(needs_refusal({"--batch-size", "2", "--vad", "False"}).empty());
}

TEST_CASE("needs: options of the detector turn it on, unless it is refused or clips are given") {
  for (const char* option : {"--vad-threshold=0.4", "--vad-neg-threshold=0.1", "--vad-model=x",
                             "--vad-min-speech-duration-ms=9", "--vad-min-silence-duration-ms=9",
                             "--vad-speech-pad-ms=9"}) {
    CAPTURE(option);
    CHECK(parsed_options({option}).transcribe.vad.enabled);
    CHECK_FALSE(needs_refusal({option, "--vad", "False"}).empty());
    CHECK_FALSE(needs_refusal({option, "--clip-timestamps", "0,5"}).empty());
  }
  CHECK_FALSE(parsed_options({"--vad-threshold=0.5"}).transcribe.vad.enabled);  // the default
}

TEST_CASE("needs: what is about words turns word times on, unless they are refused") {
  for (const Words& words :
       {Words{"--highlight-words", "True"}, Words{"--max-line-width", "40"},
        Words{"--max-line-width", "40", "--max-line-count", "2"},
        Words{"--max-words-per-line", "3"}, Words{"--subtitle-rules", "netflix"},
        Words{"--hallucination-silence-threshold", "2"}, Words{"--append-punctuations", "!"}}) {
    CAPTURE(words.front());
    CHECK(parsed_options(words).transcribe.word_timestamps);
    Words refused = words;
    refused.insert(refused.end(), {"--word-timestamps", "False"});
    CHECK(has(needs_refusal(refused), "has no effect: it needs --word-timestamps True"));
  }
  CHECK_FALSE(parsed_options({"--max_line_width", "None"}).transcribe.word_timestamps);
  CHECK_FALSE(parsed_options({"--highlight_words", "False"}).transcribe.word_timestamps);
}

TEST_CASE("speakers: what does not go together, and no speaker, is refused") {
  using wnpu::tests::message_of;
  const Options options =
      parsed_options({"--speakers", "2-4", "--speaker-names", "1=Anna,2=Ben B."});
  CHECK(options.transcribe.speakers.enabled);
  CHECK(options.transcribe.speakers.min == 2);
  CHECK(options.transcribe.speakers.max == 4);
  CHECK(options.transcribe.speakers.names.back() ==
        std::pair<std::string, std::string>("2", "Ben B."));
  CHECK_FALSE(options.transcribe.word_timestamps);
  CHECK(parsed_options({"--channels", "separate"}).transcribe.channels == wnpu::Channels::separate);
  CHECK(has(refusal_of_line("--channels separate --speakers 2"), "--speakers has no effect"));
  CHECK(has(refusal_of_line("--speaker-names 1=A"), "it needs --speakers or --channels separate"));
  for (const std::string bad : {"--speakers 0", "--speakers 3-2", "--speakers 21", "--speakers two",
                                "--speakers auto --speaker-names Anna", "--channels left"}) {
    CAPTURE(bad);
    CHECK_FALSE(refusal_of_line(bad).empty());
  }
}
