// A tuned layer is a layer: the default is the design by hand, and no tuning changes a bit of the
// result, for none changes the order of a sum.
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "npu/plans/plan.h"
#include "npu/sim/check.h"
#include "npu/sim/sim_device.h"
#include "tests/few_samples.h"
#include "tests/npu/plans/random_tuning.h"
#include "tests/support/layer_call.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

std::vector<float> run_tuned(Device& device, LayerShape shape, Precision precision,
                             const LayerTuning& tuning) {
  return tests::LayerCallFixture(device, shape, precision, {LayerCall{}}, tuning).run();
}

}  // namespace

TEST_CASE("layer tuning: the default is the design by hand, in every call") {
  for (const LayerShape s : {LayerShape{1500, 384, 6, 1536}, LayerShape{1500, 512, 8, 2048},
                             LayerShape{1500, 1280, 20, 5120}}) {
    for (const Precision precision : {Precision::bf16, Precision::int8}) {
      auto calls = layer_calls(Plan::batched);
      calls.emplace_back();
      for (const LayerCall& call : calls) {
        CHECK(design_hash(layer_design(tuned_layer(npu1(), s, precision), call)) ==
              design_hash(layer_design(layer_geometry(npu1(), s, precision), call)));
      }
    }
  }
}

TEST_CASE("layer tuning: each choice by itself keeps every bit") {
  const auto device = open_sim_device({});
  // Padded keys fill whole blocks, rows more than one row block, and qkv has padding tiles.
  const LayerShape shape{600, 192, 3, 768};
  const std::vector<float> by_hand = run_tuned(*device, shape, Precision::bf16, {});
  const std::vector<LayerTuning> tunings = {{.state_tile = 16},
                                            {.qkv_tile = 32},
                                            {.norm_rows = 2},
                                            {.norm_rows = 8},
                                            {.norm_rows = 16},
                                            {.a_slots = 1},
                                            {.b_slots = 1},
                                            {.a_slots = 7, .b_slots = 5},
                                            {.state_panels = 1},
                                            {.keeps_hidden = false},
                                            {.qkv_row_blocks = 2},
                                            {.qkv_row_blocks = 3},
                                            {.attends_padding = false},
                                            {.broadcasts_keys = false}};
  const std::uint64_t overlay =
      overlay_hash(layer_design(tuned_layer(npu1(), shape, Precision::bf16)));
  for (std::size_t i = 0; i < tunings.size(); i += tests::kSampleShare) {
    CAPTURE(i);
    const Design design = layer_design(tuned_layer(npu1(), shape, Precision::bf16, tunings[i]));
    CHECK(check(design) == std::vector<std::string>{});
    CHECK(overlay_hash(design) == overlay);
    CHECK(run_tuned(*device, shape, Precision::bf16, tunings[i]) == by_hand);
  }
}

TEST_CASE("layer tuning: any choices together keep every bit, in both precisions") {
  const auto device = open_sim_device({});
  std::mt19937 random(24);
  const LayerShape shapes[] = {{100, 128, 2, 512}, {300, 256, 4, 256}, {33, 384, 6, 384}};
  for (const LayerShape& shape : tests::some_of(shapes)) {
    for (const Precision precision : {Precision::bf16, Precision::int8}) {
      const std::vector<float> by_hand = run_tuned(*device, shape, precision, {});
      for (std::size_t i = 0; i < (tests::kFewSamples ? 1 : 5); ++i) {
        const LayerTuning tuning = random_tuning(random, shape, precision);
        CAPTURE(text_of(tuning));
        CHECK(run_tuned(*device, shape, precision, tuning) == by_hand);
      }
    }
  }
}

TEST_CASE("layer tuning: what no call can have is refused with expected and found") {
  const LayerShape shape{1500, 384, 6, 1536};
  const auto refusal = [&](const LayerTuning& tuning, Precision precision = Precision::bf16) {
    return tests::message_of<std::invalid_argument>(
        [&] { static_cast<void>(tuned_layer(npu1(), shape, precision, tuning)); });
  };
  CHECK(refusal({.state_tile = 64}) ==
        "layer tuning: state_tile: expected a multiple of 8 up to 64 that cuts 384 columns into 4 "
        "equal parts, found 64");
  CHECK(refusal({.qkv_tile = 48}) == "layer tuning: qkv_tile: expected 64 or 32, found 48");
  CHECK(refusal({.norm_rows = 16}) ==
        "layer tuning: norm_rows: expected 2, 4, 8 or 16 rows of at most 8192 bytes that all "
        "columns share, found 16");
  CHECK(refusal({.a_slots = 0}) == "layer tuning: a_slots: expected 1 to 63, found 0");
  CHECK(refusal({.b_slots = 64}) == "layer tuning: b_slots: expected 1 to 63, found 64");
  CHECK(refusal({.state_panels = 3}) == "layer tuning: state_panels: expected 1 or 2, found 3");
  CHECK(refusal({.qkv_row_blocks = 7}) == "layer tuning: qkv_row_blocks: expected 1 to 6, found 7");
  CHECK(refusal({.qkv_row_blocks = 2}, Precision::int8)
            .starts_with("layer tuning: qkv_row_blocks: expected 1 with int8"));
}
