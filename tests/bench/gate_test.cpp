// The comparison of --check, on times that are written here and not measured.
#include "bench/gate/gate.h"

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "app/options/work_options.h"
#include "bench/bench_command.h"
#include "bench/gate/gate_work.h"
#include "bench/rtf/rtf.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu::bench;
using wnpu::app::UsageError;
using wnpu::tests::has;
using wnpu::tests::TemporaryFolder;

namespace {

// A kernel of 20 ms and a stage of 600 ms where the calibration takes 10 and 30 ms.
GateRun example() {
  GateRun run;
  run.calibration = {1, 0.010, 0.030};
  run.times = {{"kernel: softmax", 1, 0.020, kKernelMargin},
               {"stage: file to text", 0.75, 0.600, kStageMargin}};
  return run;
}

Results results_of(const GateRun& run) {
  Results results;
  results.mode = "baseline";
  results.options = {{"model", "tiny.en"}, {"threads", "2"}, {"kernels", "AVX2"}};
  results.instruction_set = "AVX2";
  results.figures = gate_figures(run);
  return results;
}

Baseline baseline_of(const Results& results) {
  const TemporaryFolder folder;
  return read_baseline(folder.make_file("baseline.json", results_json(results, {})));
}

// The message of the refusal; empty where there is none.
template <typename Call>
std::string refusal(const Call& call) {
  return wnpu::tests::message_of<UsageError>([&] { call(); });
}

}  // namespace

TEST_CASE("gate: times are relative to the calibration's product and copy") {
  const auto figures = gate_figures(example());
  REQUIRE(figures.size() == 4);
  CHECK(figures[0].value == 0.010);
  CHECK(figures[1].value == 0.030);
  CHECK(figures[2].value == doctest::Approx(2));
  CHECK(figures[3].value == doctest::Approx(600 / (0.75 * 10 + 0.25 * 30)));
  CHECK(figures[2].unit == "calibrations");
}

TEST_CASE("gate: a run is not slower than itself, and a machine twice as fast changes nothing") {
  const Baseline baseline = baseline_of(results_of(example()));
  GateRun faster = example();
  faster.calibration.gemm_s /= 2;
  faster.calibration.copy_s /= 2;
  for (GateTime& time : faster.times) time.seconds /= 2;
  for (const GateRun& run : {example(), faster}) {
    for (const Comparison& one : compare(baseline, run)) {
      CHECK(one.ratio() == doctest::Approx(1));
      CHECK_FALSE(one.is_slower());
    }
  }
}

TEST_CASE("gate: one kernel that is 15 % slower is found, and no other is blamed") {
  const Baseline baseline = baseline_of(results_of(example()));
  GateRun run = example();
  run.times[0].seconds *= 1.15;
  const auto comparisons = compare(baseline, run);
  CHECK(comparisons[0].is_slower());
  CHECK_FALSE(comparisons[1].is_slower());
}

TEST_CASE("gate: a kernel that is slower does not hide behind a calibration that was disturbed") {
  GateRun run = example();
  for (const char* name : {"kernel: gelu", "kernel: layer norm"}) {
    run.times.push_back({name, 1, 0.010, kKernelMargin});
  }
  const Baseline baseline = baseline_of(results_of(run));
  run.calibration.gemm_s *= 1.1;
  for (const Comparison& one : compare(baseline, run)) CHECK_FALSE(one.is_slower());
  run.times[0].seconds *= 1.15;
  const auto comparisons = compare(baseline, run);
  CHECK(comparisons[0].is_slower());
  for (std::size_t i = 1; i < comparisons.size(); ++i) CHECK_FALSE(comparisons[i].is_slower());
}

TEST_CASE("gate: noise within the margin passes") {
  const Baseline baseline = baseline_of(results_of(example()));
  GateRun run = example();
  run.times[0].seconds *= 1 + 0.9 * kKernelMargin;
  run.times[1].seconds *= 1 + 0.9 * kStageMargin;
  for (const Comparison& one : compare(baseline, run)) CHECK_FALSE(one.is_slower());
}

TEST_CASE("gate: of merged runs the shortest times count, and the calibration's too") {
  GateRun disturbed = example();
  disturbed.times[0].seconds *= 3;
  disturbed.calibration.gemm_s *= 2;
  disturbed.merge(example());
  CHECK(disturbed.times[0].seconds == 0.020);
  CHECK(disturbed.calibration.gemm_s == 0.010);
}

TEST_CASE("gate: a baseline that cannot be compared is refused, with what differs") {
  const Results now = results_of(example());
  const Baseline baseline = baseline_of(now);
  const auto refusal_of = [&](const Results& other, const std::string& build) {
    return refusal([&] { check_comparable(baseline, other, build); });
  };
  CHECK(refusal_of(now, baseline.build_type) == "");
  CHECK(has(refusal_of(now, "Debug"), "build type"));
  Results other = now;
  other.instruction_set = "AVX3_DL";
  CHECK(has(refusal_of(other, baseline.build_type), "instruction set AVX2"));
  other = now;
  other.options[1].second = "8";
  CHECK(has(refusal_of(other, baseline.build_type), "threads 2 cannot be compared with 8"));
  other = now;
  other.options[2].second = "SSE4";
  CHECK(refusal_of(other, baseline.build_type) == "");
}

TEST_CASE("gate: a baseline of an option that is not given now is refused, and the reverse") {
  Results clipped = results_of(example());
  clipped.options.emplace_back("clip_timestamps", "0,2");
  const Results whole = results_of(example());
  const auto refusal_of = [](const Results& before, const Results& now) {
    const Baseline baseline = baseline_of(before);
    return refusal([&] { check_comparable(baseline, now, baseline.build_type); });
  };
  CHECK(has(refusal_of(clipped, whole), "clip_timestamps 0,2 cannot be compared with (none)"));
  CHECK(has(refusal_of(whole, clipped), "clip_timestamps (none) cannot be compared with 0,2"));
  CHECK(refusal_of(clipped, clipped) == "");
}

TEST_CASE("gate: every option of the work that is given and not the default is compared") {
  const TemporaryFolder folder;
  const auto plan = folder.make_file("base.plan", "abc");
  const auto given_by = [](std::vector<std::string> words) {
    CLI::App app;
    wnpu::app::Options options;
    GivenOptions given;
    wnpu::app::add_work_options(app, options);
    for (CLI::Option* option : app.get_options()) {
      if (option->check_lname("help")) continue;
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      note_given(*option, given);
    }
    std::ranges::reverse(words);
    app.parse(std::move(words));
    return given;
  };
  CHECK(given_by({"--clip-timestamps", "0,2", "--best-of", "5", "--hotwords", "Ada",
                  "--no-timestamps"}) ==
        GivenOptions{{"no_timestamps", "true"}, {"hotwords", "Ada"}, {"clip_timestamps", "0,2"}});
  CHECK(given_by({"--patience", "2", "--patience", "1"}).empty());
  CHECK(given_by({"--device", "sim", "--npu-plan-file", plan.string()}).back().second ==
        "base.plan ba7816bf8f01cfea");  // of "abc": FIPS 180-4, appendix

  BenchOptions options;
  options.given = {{"beam_size", "5"}, {"model", "x"}, {"gemm", "blas"}};
  const auto list = option_list(options, {}, {});
  CHECK(std::ranges::count(list, "beam_size", &GivenOptions::value_type::first) == 1);
  CHECK(std::ranges::count(list, "model", &GivenOptions::value_type::first) == 1);
  CHECK(list.back() == GivenOptions::value_type{"gemm", "blas"});
}

TEST_CASE("gate: a baseline that is missing, damaged or of another mode is refused") {
  const TemporaryFolder folder;
  const auto refusal_of = [&](const std::string& contents) {
    const auto path = folder.make_file("b.json", contents);
    return refusal([&] { read_baseline(path); });
  };
  CHECK(has(refusal([&] { read_baseline(folder.path() / "none.json"); }), "found no readable"));
  CHECK(has(refusal_of("{"), "b.json: expected a result of bench --baseline"));
  CHECK(has(refusal_of("{}"), "b.json: expected a result of bench --baseline"));
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  CHECK(has(refusal_of(R"({"schema_version": 1, "mode": )" + deep + "}"), "levels of nesting"));
  Results other = results_of(example());
  other.mode = "rtf";
  CHECK(has(refusal_of(results_json(other, {})), "found one of mode \"rtf\""));
  GateRun run = example();
  run.times[0].name = "kernel: new";
  CHECK(has(refusal([&] { compare(baseline_of(results_of(example())), run); }),
            "expected a time of kernel: new, found none"));
}

TEST_CASE("gate: every kernel runs, again and again") {
  for (const GateWork& kernel : gate_kernels(8)) {
    CAPTURE(kernel.name);
    CHECK(kernel.compute >= 0);
    CHECK(kernel.compute <= 1);
    for (int i = 0; i < 2; ++i) {
      kernel.prepare();
      kernel.run();
    }
  }
}
