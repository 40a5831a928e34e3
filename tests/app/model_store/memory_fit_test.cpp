// Choices under --memory-limit, for models of all released sizes and random options, by dims alone.
// tests/program/memory_fit_test.py proves that runs keep to it.
#include "app/model_store/memory_fit.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "models/base/dims.h"

namespace {

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT

ModelFacts model_of(std::string_view size) {
  ModelFacts model;
  model.dims = *models::dims_of_size(size);
  model.file_bytes = 100 * kMiB;
  model.is_f16 = true;
  model.n_alignment_heads = 10;
  return model;
}

Options random_options(std::mt19937& random) {
  const auto up_to = [&](std::size_t most) { return 1 + random() % most; };
  Options options;
  options.device.cpu_precision =
      std::string(std::array{"auto", "fp32", "int16", "int8"}.at(random() % 4));
  options.transcribe.beam_size = up_to(64);
  options.transcribe.best_of = up_to(64);
  options.transcribe.batch_size = up_to(64);
  options.transcribe.word_timestamps = random() % 2 == 0;
  return options;
}

// "expected at least 123M"
std::uint64_t least_of(const Error& error) {
  const std::string text = error.what();
  const std::string before = "at least ";
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  return std::stoull(text.substr(at + before.size())) * kMiB;
}

}  // namespace

TEST_CASE(
    "memory: the smallest limit that a refusal names is enough, and a byte less than a MiB "
    "below is not") {
  std::mt19937 random(1);
  for (const std::string_view size : models::size_names()) {
    const ModelFacts model = model_of(size);
    for (int i = 0; i < 40; ++i) {
      const Options asked = random_options(random);
      const ThreadCounts threads{1 + random() % 4, 4};
      Options options = asked;
      options.device.memory_limit = 1;
      std::uint64_t least = 0;
      try {
        fit_memory(model, threads, options);
        FAIL("one byte is enough");
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::resources);
        least = least_of(error);
      }
      options = asked;
      options.device.memory_limit = least;
      CHECK_NOTHROW(fit_memory(model, threads, options));
      CHECK(options.choices.memory_estimate <= least);
      options = asked;
      options.device.memory_limit = least - kMiB;
      CHECK_THROWS_AS(fit_memory(model, threads, options), Error);
    }
  }
}

TEST_CASE("memory: more of it never chooses less, nor what the user has said") {
  std::mt19937 random(2);
  const ModelFacts model = model_of("small");
  for (int i = 0; i < 40; ++i) {
    const Options asked = random_options(random);
    std::uint64_t features = 0;
    std::size_t batch = 0;
    for (std::uint64_t limit = 400 * kMiB; limit < 60'000 * kMiB; limit += limit / 4) {
      Options options = asked;
      options.device.memory_limit = limit;
      try {
        fit_memory(model, {2, 2}, options);
      } catch (const Error&) {
        CHECK(batch == 0);
        continue;
      }
      const TranscribeOptions& chosen = options.transcribe;
      CHECK(options.choices.memory_estimate <= limit);
      CHECK_FALSE(options.device.memory_limit.has_value());
      CHECK(chosen.beam_size == asked.transcribe.beam_size);
      CHECK(chosen.batch_size <= asked.transcribe.batch_size);
      CHECK(chosen.batch_size >= std::min<std::size_t>(2, asked.transcribe.batch_size));
      if (asked.device.cpu_precision != "auto") {
        CHECK(options.device.cpu_precision == asked.device.cpu_precision);
        CHECK(chosen.batch_size >= batch);
        if (chosen.batch_size == batch) CHECK(chosen.feature_bytes >= features);
        batch = chosen.batch_size;
        features = chosen.feature_bytes;
      }
    }
  }
}

TEST_CASE("memory: how many CPUs are used decides no precision but where it would be refused") {
  const ModelFacts model = model_of("base");
  for (std::uint64_t limit = 100 * kMiB; limit < 2000 * kMiB; limit += 7 * kMiB) {
    std::string precision;
    for (const std::size_t threads : {16U, 5U, 1U}) {
      Options options;
      options.device.memory_limit = limit;
      try {
        fit_memory(model, {threads, 16}, options);
      } catch (const Error&) {
        CHECK(precision.empty());
        continue;
      }
      if (!precision.empty()) CHECK(options.device.cpu_precision == precision);
      precision = options.device.cpu_precision;
    }
  }
}

TEST_CASE("memory: what costs text goes last") {
  const ModelFacts model = model_of("base");
  Options options;
  options.transcribe.batch_size = 8;
  WorkSize work = work_of(options, 1);
  work.feature_bytes = kMiB;
  options.device.memory_limit = memory_need(model, work).total();
  fit_memory(model, {1, 1}, options);
  CHECK(options.transcribe.batch_size == 8);
  CHECK(options.transcribe.feature_bytes == kMiB);
  CHECK(options.device.cpu_precision == models::precision_name(models::auto_precision()));
  CHECK(options.choices.options.size() == 1);
}
