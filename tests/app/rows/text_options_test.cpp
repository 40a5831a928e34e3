#include "app/jobs/rows/text_options.h"

#include <fstream>
#include <set>

#include <doctest/doctest.h>

#include "tests/support/temporary_folder.h"

using namespace wnpu::app;

TEST_CASE("text options: what changes a text changes the number, and nothing else does") {
  const wnpu::tests::TemporaryFolder folder;
  const std::string usual = options_sha256({});
  CHECK(usual.size() == 64);
  Options same;
  same.model = "other";
  same.threads = 7;
  same.rows.n_together = 3;
  same.isolation = Isolation::off;
  same.verbosity = Verbosity::quiet;
  same.manifest.file = "rows";
  same.transcribe.vad.weights = "elsewhere";  // is not used
  CHECK(options_sha256(same) == usual);
  std::set<std::string> numbers{usual};
  const auto differs = [&numbers](const auto& change) {
    Options options;
    change(options);
    return numbers.insert(options_sha256(options)).second;
  };
  CHECK(differs([](Options& o) { o.transcribe.beam_size = 1; }));
  CHECK(differs([](Options& o) { o.transcribe.language = "de"; }));
  CHECK(differs([](Options& o) { o.transcribe.seed = 1; }));
  CHECK(differs([](Options& o) { o.transcribe.pool_padding = true; }));
  CHECK(differs([](Options& o) { o.transcribe.temperatures = {0, 1}; }));
  CHECK(differs([](Options& o) { o.transcribe.length_penalty = 1; }));
  CHECK(differs([](Options& o) { o.transcribe.initial_prompt = "\xFF"; }));
  CHECK(differs([](Options& o) { o.transcribe.word_timestamps = true; }));
  CHECK(differs([](Options& o) { o.transcribe.clip_timestamps = {1, 2}; }));
  CHECK(differs([](Options& o) { o.device.cpu_precision = "fp32"; }));
  CHECK(differs([](Options& o) { o.device.split = "layers"; }));
  CHECK(differs([](Options& o) { o.each_audio.track = 0; }));
  CHECK(differs([](Options& o) { o.each_audio.container_times = false; }));
  CHECK(differs([](Options& o) { o.transcribe.vad.enabled = true; }));
  const auto weights = folder.make_file("vad", "weights").string();
  CHECK(differs([&](Options& o) { o.transcribe.vad = {.enabled = true, .weights = weights}; }));
}
