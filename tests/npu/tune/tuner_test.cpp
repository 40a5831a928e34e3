// The search: what it offers, that it misses nothing, its budget and its cache.
#include "npu/tune/tuner.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "npu/predict/call_parts.h"
#include "npu/predict/random_tuning.h"
#include "npu/sim/check.h"
#include "npu/sim/compile_call.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;
namespace fs = std::filesystem;

namespace {

const LayerShape kTunedShape{200, 192, 3, 768};

TuneOptions options_for(const LayerShape& shape, Objective objective = Objective::time) {
  return {&npu1(),         shape,
          Precision::bf16, find_preset(kDefaultPreset),
          objective,       std::chrono::seconds(600),
          nullptr};
}

// Few enough to try them all.
TuningSpace small_tuning_space(const LayerShape& shape) {
  TuningSpace space = whole_space(npu1(), shape, Precision::bf16);
  std::erase_if(space.tunings, [](const LayerTuning& t) {
    return t.norm_rows == 2 || t.qkv_row_blocks > 2 || !t.broadcasts_keys || !t.keeps_hidden ||
           t.state_tile != 0;
  });
  space.buffers = {{4, 4, 2}, {2, 6, 1}};
  space.calls.resize(3);
  return space;
}

// The objective's figure of the best plan, all simulated and checked one by one.
double exhaustive(const TuningSpace& space, const TuneOptions& options) {
  double best = 1e300;
  for (const LayerTuning& tuning : space.tunings) {
    for (const auto& buffers : space.buffers) {
      const TunedLayer layer = tuned_layer(*options.target, options.shape, options.precision,
                                           with_buffers(tuning, buffers));
      for (const auto& calls : space.calls) {
        double ms = 0;
        double bytes = 0;
        for (const Design& design : designs_of(layer, calls)) {
          if (!check(design).empty()) {
            ms = bytes = 1e300;
            break;
          }
          const SimReport report = time_call(design, options.preset).report;
          ms += report.ms + options.preset.list_launch_us * 1e-3;
          bytes += static_cast<double>(report.ddr_read_bytes + report.ddr_write_bytes);
        }
        best = std::min(best, options.objective == Objective::time ? ms : bytes);
      }
    }
  }
  return best;
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("tuner: on a small space the search is as good as trying all") {
  const LayerShape shape{100, 128, 2, 256};
  const TuningSpace space = small_tuning_space(shape);
  std::size_t n_proven = 0;
  for (const Objective objective : {Objective::time, Objective::ddr}) {
    const TuneOptions options = options_for(shape, objective);
    const TuneResult result = tune(options, space);
    CHECK(result.is_whole());
    CHECK(result.n_plans == space.size());
    const double found =
        objective == Objective::time ? result.best.ms : static_cast<double>(result.best.ddr_bytes);
    CHECK(found == doctest::Approx(exhaustive(space, options)).epsilon(1e-12));
    MESSAGE(space.size(), " plans, ", result.n_simulated, " simulated, ", result.n_proven,
            " proven no better, ", result.n_refused, " refused");
    n_proven += result.n_proven;
  }
  CHECK(n_proven > 0);
}

TEST_CASE("tuner: what it offers passes check, and is what the simulator says") {
  for (const LayerShape& shape : {kTunedShape, LayerShape{700, 64, 1, 64}}) {
    for (const Objective objective : {Objective::time, Objective::ddr}) {
      const TuneOptions options = options_for(shape, objective);
      const TuneResult result = tune(options, small_tuning_space(shape));
      const TunedLayer layer = tuned_layer(npu1(), shape, Precision::bf16, result.best.plan.tuning);
      double ms = 0;
      for (const Design& design : designs_of(layer, result.best.plan.calls)) {
        CHECK(check(design) == std::vector<std::string>{});
        ms += time_call(design, options.preset).report.ms + options.preset.list_launch_us * 1e-3;
      }
      CHECK(ms == doctest::Approx(result.best.ms));
      CHECK(result.best.bound_ms <= result.best.ms);
      const bool is_time = objective == Objective::time;
      CHECK((is_time ? result.best.ms < result.by_hand.ms
                     : result.best.ddr_bytes <= result.by_hand.ddr_bytes));
    }
  }
}

TEST_CASE("tuner: the budget is kept, and what was not looked at is counted as such") {
  TuneOptions options = options_for({1500, 384, 6, 1536});
  options.budget = std::chrono::milliseconds(1500);
  const TuneResult result = tune(options, whole_space(npu1(), options.shape, Precision::bf16));
  CHECK(!result.is_whole());
  // One plan of seven calls may be at work when time is up; sanitizers are slow.
  CHECK(result.seconds < 30);
  CHECK(result.best.ms <= result.by_hand.ms);
}

TEST_CASE("tuner: a cache's results are those that it would find, and nothing is simulated again") {
  const tests::TemporaryFolder folder;
  const fs::path file = folder.path() / "a" / "calls.txt";
  const LayerShape shape{100, 128, 2, 256};
  const TuningSpace space = small_tuning_space(shape);
  TuneOptions options = options_for(shape);
  ResultCache first(file);
  options.cache = &first;
  const TuneResult cold = tune(options, space);
  CHECK(cold.n_calls > 0);
  ResultCache second(file);
  CHECK(second.size() == first.size());
  CHECK(second.n_damaged() == 0);
  options.cache = &second;
  const TuneResult warm = tune(options, space);
  CHECK(warm.n_calls == 0);
  CHECK(warm.best.ms == cold.best.ms);
  CHECK(warm.best.plan == cold.best.plan);
  CHECK(warm.n_simulated == cold.n_simulated);
  options.preset = find_preset("hawk-1.6/published");  // another key
  CHECK(tune(options, space).n_calls > 0);
}

TEST_CASE("result cache: damaged lines are left out, whatever they are") {
  const tests::TemporaryFolder folder;
  const fs::path file = folder.path() / "calls.txt";
  {
    ResultCache cache(file);
    for (std::uint64_t key = 0; key < 50; ++key)
      cache.store(key, {key % 7 == 0, 1.5 * static_cast<double>(key), key});
  }
  const std::string whole = contents(file);
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    const std::size_t at = random() % text.size();
    const char found = text[at];
    text[at] = static_cast<char>(random() % 256);
    if (i % 3 == 0) text.resize(at);
    std::ofstream(file) << text;
    const ResultCache cache(file);
    CAPTURE(at);
    std::size_t n_right = 0;
    for (std::uint64_t key = 0; key < 50; ++key) {
      const auto result = cache.find(key);
      if (!result) continue;
      CHECK(*result == CallResult{key % 7 == 0, 1.5 * static_cast<double>(key), key});
      ++n_right;
    }
    CHECK(cache.size() == n_right);
    if (i % 3 != 0 && text[at] != found) CHECK(cache.n_damaged() > 0);
  }
  std::ofstream(file) << std::string(100000, 'x');
  CHECK(ResultCache(file).size() == 0);
}

TEST_CASE("result cache: two processes at a time lose and mix nothing") {
  const tests::TemporaryFolder folder;
  const fs::path file = folder.path() / "calls.txt";
  constexpr std::uint64_t kEach = 2000;
  pid_t children[2];
  for (std::uint64_t child = 0; child < 2; ++child) {
    children[child] = ::fork();
    REQUIRE(children[child] >= 0);
    if (children[child] != 0) continue;
    ResultCache cache(file);
    for (std::uint64_t i = 0; i < kEach; ++i)
      cache.store(2 * i + child, {false, static_cast<double>(i), child});
    ::_exit(cache.problem().empty() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  const ResultCache cache(file);
  CHECK(cache.n_damaged() == 0);
  CHECK(cache.size() == 2 * kEach);
}

TEST_CASE("result cache: where nothing can be kept it works without") {
  ResultCache cache("/proc/none/calls.txt");
  CHECK(!cache.problem().empty());
  cache.store(1, {false, 2, 3});
  CHECK(cache.find(1) == CallResult{false, 2, 3});
  CHECK(!cache.find(2));
}
