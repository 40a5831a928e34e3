// A plan's file gives the plan back, and anything else is refused by what is wrong with it.
#include "npu/plans/plan_file.h"

#include <random>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "npu/predict/random_tuning.h"
#include "npu/tune/tuning_space.h"

using namespace wnpu::npu;  // NOLINT
using Json = nlohmann::ordered_json;

namespace {

const LayerShape kPlanShape{200, 128, 2, 512};

PlanFile plan_of(const LayerTuning& tuning, std::vector<LayerCall> calls = {LayerCall{}}) {
  return {&npu1(), Precision::bf16, kPlanShape, {tuning, std::move(calls)}};
}

Json json_of(const PlanFile& file) {
  return Json::parse(plan_file_text(file, {"a preset", "time", 1, 2, 3}));
}

std::string plan_refusal(const std::string& text) {
  try {
    static_cast<void>(parse_plan_file(text, "p.json"));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("plan file: what is written is read, for every cut and many tunings") {
  std::mt19937 random(5);
  for (const auto& calls : all_cuts()) {
    const LayerTuning tuning = random_tuning(random, kPlanShape, Precision::bf16);
    const PlanFile file = plan_of(tuning, calls);
    const PlanFile read = parse_plan_file(json_of(file).dump(), "p.json");
    CHECK(read.plan == file.plan);
    CHECK(read.target == file.target);
    CHECK(read.precision == file.precision);
    CHECK(read.shape.width == kPlanShape.width);
    CHECK_NOTHROW(require_made_for(read, npu1(), kPlanShape));
  }
  CHECK(all_cuts().size() == 64);
}

TEST_CASE("plan file: a field that is missing, too many, or of another kind is named") {
  const Json whole = json_of(plan_of({.qkv_row_blocks = 1}));
  for (const auto& entry : whole.items()) {
    const std::string& key = entry.key();
    if (key == "modelled") continue;
    Json cut = whole;
    cut.erase(key);
    CAPTURE(key);
    CHECK(plan_refusal(cut.dump()).find(key) != std::string::npos);
    Json other = whole;
    other[key] = nullptr;
    CHECK(plan_refusal(other.dump()) != "none");
  }
  for (const char* part : {"shape", "tuning"}) {
    for (const auto& [key, value] : whole.at(part).items()) {
      Json cut = whole;
      cut[part].erase(key);
      CHECK(plan_refusal(cut.dump()) == "p.json: " + key + ": expected a value, found none");
      Json other = whole;
      other[part][key] = "4";
      CHECK(plan_refusal(other.dump()).starts_with("p.json: " + key + ": expected "));
    }
  }
  Json more = whole;
  more["tuning"]["colour"] = 1;
  CHECK(plan_refusal(more.dump()) == "p.json: colour: expected no such field, found 1");
  CHECK(plan_refusal("{") == "p.json: document: expected whisper-npu layer plan, found no JSON");
  CHECK(plan_refusal("[]") ==
        "p.json: document: expected whisper-npu layer plan, found something else");
}

TEST_CASE("plan file: calls cover a layer once, and a tuning is one that the shape can have") {
  Json json = json_of(plan_of({}));
  json["calls"] = Json::parse(R"([["norm1", "out"], ["up", "down"]])");
  CHECK(plan_refusal(json.dump())
            .starts_with("p.json: calls: expected every operation once, in order"));
  json["calls"] = Json::parse(R"([["norm1", "up"]])");
  CHECK(plan_refusal(json.dump())
            .starts_with("p.json: calls: expected every operation once, in order"));
  json["calls"] = Json::parse(R"([["norm1", "gelu"]])");
  CHECK(plan_refusal(json.dump()).starts_with("p.json: calls: expected operations of a layer"));
  json = json_of(plan_of({}));
  json["tuning"]["qkv_tile"] = 48;
  CHECK(plan_refusal(json.dump()) == "p.json: layer tuning: qkv_tile: expected 64 or 32, found 48");
  json = json_of(plan_of({}));
  json["shape"]["heads"] = 3;
  CHECK(plan_refusal(json.dump()).starts_with("p.json: layer shape: heads"));
}

TEST_CASE("plan file: one that was changed, or made by another program, is refused by its hash") {
  Json json = json_of(plan_of({}));
  json["tuning"]["a_slots"] = 5;
  CHECK(plan_refusal(json.dump()).starts_with("p.json: designs: expected "));
  json = json_of(plan_of({}));
  json["overlay"] = "0123456789abcdef";
  CHECK(plan_refusal(json.dump()).starts_with("p.json: overlay: expected "));
}

TEST_CASE("plan file: it is of one array and one layer") {
  const PlanFile file = plan_of({});
  LayerShape other = kPlanShape;
  other.frames = 201;
  CHECK_THROWS_WITH_AS(require_made_for(file, npu1(), other),
                       "layer plan: expected one for npu1, 201 frames of 128, 2 heads, hidden 512, "
                       "found one for npu1, 200 frames of 128, 2 heads, hidden 512",
                       std::invalid_argument);
  CHECK_THROWS_AS(require_made_for(file, npu4(), kPlanShape), std::invalid_argument);
}
