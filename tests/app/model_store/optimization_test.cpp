// --optimize-for by the command line: what is chosen, and that what was given stays.
#include "app/options/optimization.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "app/cli/command_line.h"

namespace {

using namespace wnpu::app;  // NOLINT
using Words = std::vector<const char*>;

Options parsed(Words words, std::string_view goal) {
  const std::string text(goal);
  words.insert(words.begin(), {"transcribe", "--optimize-for", text.c_str()});
  words.push_back("a.wav");
  return parse_command_line(words).options;
}

std::string chosen(const Options& options, std::string_view option) {
  const auto& all = options.choices.options;
  const auto found = std::ranges::find(all, option, &Chosen::option);
  return found == all.end() ? "" : found->value;
}

// A file that stands for the detector's weights.
struct Detector {
  Detector() { std::ofstream(path) << "weights"; }
  ~Detector() { std::filesystem::remove(path); }
  std::string path = (std::filesystem::temp_directory_path() / "wnpu_detector").string();
};

}  // namespace

TEST_CASE("optimize-for: each goal's choices, which are told") {
  const Options speed = parsed({}, "speed");
  CHECK(speed.choices.optimize_for == "speed");
  CHECK(speed.device.cpu_precision == "int8");
  CHECK(speed.transcribe.beam_size == 1);
  CHECK_FALSE(speed.transcribe.pool_padding);  // it changes words
  const Options accuracy = parsed({}, "accuracy");
  CHECK(accuracy.device.cpu_precision == "fp32");
  CHECK(accuracy.transcribe.beam_size == 5);
  CHECK(accuracy.transcribe.batch_size == 1);
  CHECK_FALSE(accuracy.transcribe.pool_padding);
  const Options memory = parsed({}, "memory");
  CHECK(memory.device.cpu_precision == "int8");
  CHECK(memory.transcribe.best_of == 1);
  for (const std::string_view goal : kGoalNames) {
    const Options options = parsed({"--device", "sim"}, goal);
    CHECK(chosen(options, "--precision") == options.device.cpu_precision);
    CHECK(chosen(options, "--beam-size") == std::to_string(options.transcribe.beam_size));
    CHECK(chosen(options, "--npu-plan") == options.device.plan);
    CHECK(chosen(options, "--npu-precision") == options.device.precision);
    for (const Chosen& each : options.choices.options)
      CHECK(each.reason == "--optimize-for " + std::string(goal));
  }
}

TEST_CASE("optimize-for: what was given stays, in every goal, and so does what it needs") {
  const std::vector<std::pair<Words, bool (*)(const Options&)>> given = {
      {{"--precision", "int16"},
       [](const Options& o) { return o.device.cpu_precision == "int16"; }},
      {{"--fp16", "False"}, [](const Options& o) { return o.device.cpu_precision == "fp32"; }},
      {{"--gemm", "blas"}, [](const Options& o) { return o.device.cpu_precision == "fp32"; }},
      {{"--beam-size", "3"}, [](const Options& o) { return o.transcribe.beam_size == 3; }},
      {{"--patience", "2"}, [](const Options& o) { return o.transcribe.beam_size == 5; }},
      {{"--length-penalty", "1"}, [](const Options& o) { return o.transcribe.best_of == 5; }},
      {{"--best-of", "7"}, [](const Options& o) { return o.transcribe.best_of == 7; }},
      {{"--batch-size", "1"}, [](const Options& o) { return o.transcribe.batch_size == 1; }},
      {{"--vad", "False"}, [](const Options& o) { return !o.transcribe.vad.enabled; }},
      {{"--clip-timestamps", "0,5"}, [](const Options& o) { return o.transcribe.batch_size == 1; }},
      {{"--condition-on-previous-text", "True"},
       [](const Options& o) { return o.transcribe.batch_size == 1; }},
      {{"--device", "sim", "--npu-precision", "bf16"},
       [](const Options& o) { return o.device.precision == "bf16"; }},
      {{"--device", "sim", "--npu-plan", "hybrid"},
       [](const Options& o) { return o.device.plan == "hybrid"; }},
  };
  const Detector detector;
  for (const auto& [words, holds] : given) {
    for (const std::string_view goal : kGoalNames) {
      const auto first = words[0];
      CAPTURE(first);
      CAPTURE(goal);
      CHECK(holds(parsed(words, goal)));
    }
  }
}

TEST_CASE("optimize-for: batches need the detector's weights") {
  const Detector detector;
  Options with;
  with.transcribe.vad.weights = detector.path;
  Options without;
  without.transcribe.vad.weights = detector.path + ".missing";
  const auto nothing_given = [](std::string_view) { return false; };
  optimize_for("speed", nothing_given, with);
  optimize_for("speed", nothing_given, without);
  CHECK(with.transcribe.batch_size > 1);
  CHECK(chosen(with, "--batch-size") == std::to_string(with.transcribe.batch_size));
  CHECK(without.transcribe.batch_size == 1);
  CHECK(chosen(without, "--batch-size").empty());
}
