#include "bench/report/sweep.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "app/cli/exit_code.h"
#include "bench/encoder/decoder_times.h"
#include "bench/input/random_weights.h"

using namespace wnpu;         // NOLINT
using namespace wnpu::bench;  // NOLINT

namespace {

const auto kQuiet = [](const std::string&) {};

std::size_t count(const Sweep& sweep, Origin origin) {
  return static_cast<std::size_t>(std::ranges::count(sweep.rows, origin, &SweepRow::origin));
}

}  // namespace

TEST_CASE("sweep: without a budget nothing is measured, and all that was left out is named") {
  SweepOptions options;
  options.sizes = {"tiny", "large-v3"};
  options.threads = {1, 2};
  options.budget_s = 0;
  const Sweep sweep = run_sweep(options, kQuiet);
  CHECK(count(sweep, Origin::kModelled) == 2 * 2);
  CHECK(count(sweep, Origin::kMeasured) == 0);
  // A size and precision: encoder at 1 and 2 threads, decoder at these and two batches; the lengths
  // of one size.
  CHECK(sweep.skipped.size() == 2 * 3 * (2 + 4) + 4);
  const auto is_named = [&](const std::string& part, const std::string& setting) {
    return std::ranges::any_of(sweep.skipped, [&](const SkippedWork& work) {
      return work.part == part && work.setting == setting && work.estimate_s > 0;
    });
  };
  CHECK(is_named("large-v3 encoder", "int16, 2 threads"));
  CHECK(is_named("tiny decoder", "fp32, 1 thread, batch 8"));
  CHECK(is_named("tiny by length", "120 s of audio"));
}

TEST_CASE("sweep: measures what fits, and says of what weights") {
  SweepOptions options;
  options.sizes = {"tiny"};
  options.threads = {2};
  options.batches = {2};
  options.audio_s = {5};
  options.budget_s = 600;  // everything
  std::size_t steps = 0;
  const Sweep sweep = run_sweep(options, [&](const std::string&) { ++steps; });
  CHECK(sweep.skipped.empty());
  CHECK(steps == 7);
  CHECK(count(sweep, Origin::kModelled) == 2);
  REQUIRE(count(sweep, Origin::kMeasured) == 8);
  for (const SweepRow& row : sweep.rows) {
    CHECK(row.seconds > 0);
    CHECK((row.weights == "random" || row.weights == "none" || row.weights == "from its file"));
    if (row.origin == Origin::kMeasured && row.work.starts_with("decoder")) {
      CHECK(row.batch == 2);
      CHECK(row.note == "2 of 4 layers measured, scaled");
    }
  }
}

TEST_CASE("sweep: refuses sizes that do not exist") {
  SweepOptions options;
  options.sizes = {"huge"};
  CHECK_THROWS_WITH_AS(run_sweep(options, kQuiet), "--sizes: no model size is called huge",
                       app::UsageError);
}

TEST_CASE("decoder_times: a deeper decoder takes longer by its layers") {
  CHECK(DecoderStep{2, 3}.seconds(4) == doctest::Approx(14));
  models::Dims dims{.n_mels = 80,
                    .n_audio_ctx = 50,
                    .n_audio_state = 64,
                    .n_audio_head = 1,
                    .n_audio_layer = 1,
                    .n_vocab = 51864,
                    .n_text_ctx = 32,
                    .n_text_state = 64,
                    .n_text_head = 1,
                    .n_text_layer = 7};
  models::ThreadPool pool(1);
  const DecoderStep step =
      time_decoder_step({dims, random_decoder_weights(dims, 3)}, 2, pool, {3, 1e-2});
  CHECK(step.fixed_s > 0);
  CHECK(step.layer_s >= 0);
  CHECK(step.seconds(7) >= step.fixed_s);
}
