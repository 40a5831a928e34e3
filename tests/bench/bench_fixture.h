// A bench of a small model on a tone.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bench/core/modes.h"
#include "bench/core/results.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

namespace wnpu::tests {

struct BenchFixture {
  // The test writes the model.
  explicit BenchFixture(const std::string& recording = "tone.wav") {
    options.work.model = model().string();
    options.work.inputs = {folder.make_file(recording, wav_of_tone(2)).string()};
    options.work.device.requested = "cpu";
    options.work.threads = 2;
    options.work.verbosity = app::Verbosity::quiet;
    options.work.transcribe.language = "en";
    options.work.transcribe.beam_size = 1;
    options.work.transcribe.sample_len = 8;
    options.work.transcribe.temperature_increment_on_fallback.reset();
  }
  std::filesystem::path model() const { return folder.path() / "nano"; }

  TemporaryFolder folder;
  bench::BenchOptions options;
};

inline std::string bench_schema_fault(const bench::Results& results) {
  return schema_fault("bench/bench.schema.json",
                      nlohmann::json::parse(results_json(results, app::describe_machine())));
}

}  // namespace wnpu::tests
