// --rtf, --baseline and --check on a small model with random weights: what they print is theirs,
// what they measure is the program's.
#include "bench/rtf/rtf.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "bench/rtf/rtf_figures.h"
#include "tests/bench/bench_fixture.h"
#include "tests/nano/nano_ctranslate2.h"

using namespace wnpu::bench;
using nlohmann::json;
using wnpu::tests::TemporaryFolder;

namespace {

struct Fixture : wnpu::tests::BenchFixture {
  Fixture() {
    wnpu::tests::write(wnpu::tests::to_ctranslate2(wnpu::tests::make_nano_model(),
                                                   wnpu::tests::Ct2Quantization::float16),
                       model());
    options.runs = 3;
  }
};

// Temporary XDG_CACHE_HOME, in which the environment of the peers is looked for.
class OwnCache {
 public:
  explicit OwnCache(const std::filesystem::path& folder) {
    if (const char* cache = std::getenv("XDG_CACHE_HOME")) before_ = cache;
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  ~OwnCache() {
    if (before_) {
      ::setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    } else {
      ::unsetenv("XDG_CACHE_HOME");
    }
  }

 private:
  std::optional<std::string> before_;
};

double value_of(const Results& results, const std::string& name) {
  for (const Figure& figure : results.figures) {
    if (figure.name == name) return figure.value;
  }
  FAIL("no figure " << name);
  return 0;
}

}  // namespace

TEST_CASE("rtf: every stage is measured, and together they are the total") {
  Fixture f;
  const Results results = measure_rtf(f.options);
  CHECK(wnpu::tests::bench_schema_fault(results) == "");
  for (const char* stage : {"model load", "decode audio", "mel", "encoder", "decoder", "output",
                            "total", "encoder per window", "decoder per token"}) {
    CAPTURE(stage);
    CHECK(value_of(results, stage) > 0);
  }
  // Issue: within 3 %. Of 14 ms, which a busy machine takes away at times: once in three.
  double rest = std::abs(value_of(results, "not in any stage"));
  for (int attempt = 0; attempt < 2 && rest >= 0.03; ++attempt)
    rest = std::abs(value_of(measure_rtf(f.options), "not in any stage"));
  CHECK(rest < 0.03);
  CHECK(value_of(results, "audio") == doctest::Approx(2));
  CHECK(value_of(results, "windows") == 1);
  CHECK(value_of(results, "real-time factor") == doctest::Approx(value_of(results, "total") / 2));
  CHECK(value_of(results, "speed") == doctest::Approx(2 / value_of(results, "total")));
  for (const Figure& figure : results.figures) CHECK(figure.origin == Origin::kMeasured);
  CHECK(results.text.find("processing time / audio time") != std::string::npos);
}

TEST_CASE("rtf: on the simulator modelled times stand apart, and the page says so") {
  Fixture f;
  wnpu::tests::write_device_model(f.folder.path() / "nano64");
  f.options.work.model = (f.folder.path() / "nano64").string();
  f.options.work.device.requested = "sim";
  f.options.runs = 1;
  const Results results = measure_rtf(f.options);
  CHECK(wnpu::tests::bench_schema_fault(results) == "");
  std::size_t n_modelled = 0;
  for (const Figure& figure : results.figures) {
    if (figure.origin == Origin::kModelled) ++n_modelled;
  }
  CHECK(n_modelled >= 1);
  CHECK(value_of(results, "encoder layer on the NPU") > 0);
  CHECK(results.text.find("encoder layer on the NPU: ") != std::string::npos);
  CHECK(results.text.find("(modelled, fused, phoenix-1.0/published)") != std::string::npos);
  REQUIRE_FALSE(results.notes.empty());
  CHECK(results.notes.front().find("SIMULATED") != std::string::npos);
}

TEST_CASE("rtf: the modelled layer is of all files' windows, and none where there were none") {
  FileRun silence;
  silence.transcript.device.simulated = true;
  silence.transcript.device.npu.emplace();
  FileRun one = silence;
  one.transcript.device.npu->windows = 1;
  one.transcript.device.npu->modelled_ms_per_layer = 10;
  FileRun three = one;
  three.transcript.device.npu->windows = 3;
  three.transcript.device.npu->modelled_ms_per_layer = 20;
  const std::vector<FileRun> files = {silence, one, three};
  CHECK(modelled_layer_ms(files) == 17.5);
  CHECK_FALSE(modelled_layer_ms(std::span(files).first(1)).has_value());
  Results results;
  add_device_figures(std::span(files).first(1), results);
  CHECK(results.figures.empty());
  CHECK(results.notes.size() == 1);
  add_device_figures(files, results);
  REQUIRE(results.figures.size() == 1);
  CHECK(results.figures.front().value == doctest::Approx(0.0175));
}

TEST_CASE("rtf: what is modelled of a part of a layer is not called a layer") {
  wnpu::DeviceInfo device;
  device.npu.emplace().plan = "fused";
  CHECK(modelled_layer_name(device) == "encoder layer on the NPU");
  device.npu->plan = "hybrid";
  CHECK(modelled_layer_name(device) == "the array's part of a layer (hybrid)");
  device.devices.resize(2);
  device.devices[0].heads = wnpu::Stretch{0, 3};
  CHECK(modelled_layer_name(device) == "the array's part of a layer (hybrid, heads, 2 devices)");
  device.npu->plan = "fused";
  CHECK(modelled_layer_name(device) == "a device's part of a layer (heads, 2 devices)");
}

TEST_CASE("rtf: error rates against references, or what is missing for them") {
  Fixture f;
  f.options.runs = 1;
  f.options.references = f.folder.make_file(
      "list.tsv",
      "file\tduration_s\treference\tkind\tlang\ntone.wav\t2\tno word of this\ten-short\ten\n"
      "none.wav\t-\t-\tbroken\ten\n");
  f.options.work.inputs.clear();  // all of the list that have text
  const OwnCache cache(f.folder.path());
  const Results without = measure_rtf(f.options);
  CHECK(wnpu::tests::bench_schema_fault(without) == "");
  REQUIRE(without.heard.size() == 1);
  CHECK_FALSE(without.heard.front().wer.has_value());
  CHECK(without.notes.back().find("error rates are left out") != std::string::npos);
  CHECK(without.exit_code == 1);

  // In Python's place, every text is one word for it.
  const auto python =
      f.folder.make_file("whisper-npu/peers/venv/bin/python",
                         "#!/bin/sh\nwhile read -r _; do echo '{\"text\": \"a\"}'; done\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const Results results = measure_rtf(f.options);
  CHECK(wnpu::tests::bench_schema_fault(results) == "");
  CHECK(results.heard.front().wer == 0.0);
  CHECK(value_of(results, "word error rate") == 0.0);
  CHECK(results.exit_code == 0);
}

TEST_CASE("rtf: stdin and missing lists are refused before a model is loaded") {
  Fixture f;
  f.options.work.model = "none";
  f.options.work.inputs = {"-"};
  CHECK_THROWS_AS(measure_rtf(f.options), wnpu::app::UsageError);
  f.options.references = "/none/list.tsv";
  CHECK_THROWS_AS(measure_rtf(f.options), wnpu::app::UsageError);
}

TEST_CASE("noise: a wide spread, other processes and other machines are each called noise") {
  CHECK(judge_noise(1.05, {0.01, 0}).reason.empty());
  CHECK(judge_noise(1.2, {0, 0}).reason.find("p90/p10 is 1.20") != std::string::npos);
  CHECK(judge_noise(1, {0.25, 0}).reason.find("25.0 %") != std::string::npos);
  CHECK(judge_noise(1, {0, 0.05}).reason.find("virtual machines") != std::string::npos);
}
