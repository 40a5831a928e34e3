#include "bench/encoder/plan_rows.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "bench/input/model_sizes.h"
#include "bench/input/random_weights.h"
#include "tests/support/tolerances.h"
#include "tests/support/whisper_sizes.h"

using namespace wnpu;         // NOLINT
using namespace wnpu::bench;  // NOLINT

namespace {

const PlanRow& row_of(const std::vector<PlanRow>& rows, const std::string& plan) {
  const auto row = std::ranges::find(rows, plan, &PlanRow::plan);
  REQUIRE(row != rows.end());
  return *row;
}

}  // namespace

TEST_CASE("model_sizes: the released models' encoders, all of them fit for the array") {
  REQUIRE(size_names().size() == tests::kWhisperSizes.size());
  for (const auto& [name, shape] : tests::kWhisperSizes) {
    const auto dims = dims_of_size(name);
    REQUIRE(dims);
    CHECK_NOTHROW(models::validate(*dims, std::string(name)));
    CHECK(fits_array(*dims));
    const npu::EncoderShape found = encoder_shape(*dims);
    CHECK(found.width == shape.width);
    CHECK(found.heads == shape.heads);
    CHECK(found.hidden == shape.hidden);
    CHECK(found.layers == shape.layers);
  }
  CHECK(!dims_of_size("huge"));
}

TEST_CASE("plan_rows: per-op as predicted is within 20 % of November 2025, 10 to 500 frames") {
  std::size_t checked = 0;
  for (const Prediction& prediction : predictions_of_2025()) {
    const std::string remark =
        prediction.is_consistent ? " %" : " % (does not follow from its calls; not fitted)";
    MESSAGE("base, ", prediction.frames, " frames: predicted ", prediction.predicted_ms,
            " ms, published ", prediction.published_ms, " ms, error ", 100 * prediction.error(),
            remark);
    if (!prediction.is_consistent) continue;
    CHECK(std::abs(prediction.error()) <= tests::tolerance::kPublishedSeed);
    ++checked;
  }
  CHECK(checked == 3);
}

TEST_CASE("plan_rows: fused is 6 launches a window of base, at any length") {
  const npu::HardwareModel preset = npu::find_preset("phoenix-1.0/published");
  for (const std::size_t frames : kPlanFrames) {
    const auto rows = modelled_rows(*dims_of_size("base"), frames, preset, {100, 200});
    REQUIRE(rows.size() == 4);
    CHECK(row_of(rows, "fused").launches == 6);
    CHECK(row_of(rows, "batched").launches == 42);
    CHECK(row_of(rows, "hybrid").launches == 24);
    CHECK(row_of(rows, "per-op").launches == 6 * frames * (2 + 8 + 4));
  }
}

TEST_CASE("plan_rows: what was measured on the CPU is part of the time, and named") {
  const npu::HardwareModel preset = npu::find_preset("phoenix-1.0/published");
  const models::Dims base = *dims_of_size("base");
  const auto rows = modelled_rows(base, 10, preset, {100, 200});
  const auto bare = modelled_rows(base, 10, preset, {});
  CHECK(row_of(rows, "hybrid").ms == doctest::Approx(row_of(bare, "hybrid").ms + 100));
  CHECK(row_of(rows, "per-op").ms == doctest::Approx(row_of(bare, "per-op").ms + 200));
  CHECK(row_of(rows, "hybrid").kind() == "modelled + measured");
  CHECK(row_of(rows, "fused").kind() == "modelled");
  CHECK(row_of(rows, "fused").ms == row_of(bare, "fused").ms);
  for (const PlanRow& row : published_rows()) CHECK(row.kind() == "published");
  CHECK(seed_row(100).kind() == "modelled");
}

TEST_CASE("plan_rows: speed is audio time by processing time, 20 ms a frame") {
  PlanRow row;
  row.frames = 1500;
  row.ms = 100;
  CHECK(row.audio_s() == doctest::Approx(30));
  CHECK(row.speed() == doctest::Approx(300));
}

TEST_CASE("plan_rows: the CPU runs every layer that there is, also where fewer are measured") {
  models::Dims dims = *dims_of_size("tiny");
  dims.n_audio_layer = 4;
  EncoderUnderTest model{"tiny", "random", dims, random_encoder_weights(dims, 4)};
  models::ThreadPool pool(1);
  const PlanRow whole = cpu_row(model, 20, pool, {5, 1e-2});
  CHECK(whole.kind() == "measured");
  CHECK(!whole.launches);
  CHECK(model.scaling().empty());
  model.encoder.layers.resize(1);
  CHECK(model.scaling() == "1 of 4 layers measured, scaled");
  const PlanRow scaled = cpu_row(model, 20, pool, {5, 1e-2});
  // Two measurements of equal work; a wrong scale would be a factor of 4.
  CHECK(scaled.runs->min > 0.45 * whole.runs->min);
  CHECK(scaled.runs->min < 2.2 * whole.runs->min);
}

TEST_CASE("random_weights: the same every time, in the shapes that the layers demand") {
  const models::Dims tiny = *dims_of_size("tiny");
  const models::EncoderWeights a = random_encoder_weights(tiny, 1);
  const models::EncoderWeights b = random_encoder_weights(tiny, 1);
  CHECK(std::ranges::equal(a.layers[0].mlp_0.weight.flat(), b.layers[0].mlp_0.weight.flat()));
  CHECK(a.layers[0].mlp_0.weight.rows() == 4 * tiny.n_audio_state);
  CHECK(a.conv1.weight.cols() == 3 * tiny.n_mels);
  CHECK(a.layers[0].attn.key.bias.empty());
  double sum = 0;
  for (const float value : a.layers[0].mlp_0.weight.flat()) {
    REQUIRE(std::abs(value) <= 0.09F);  // sqrt(3 / 384)
    sum += value;
  }
  CHECK(std::abs(sum / static_cast<double>(a.layers[0].mlp_0.weight.size())) < 1e-3);
}
