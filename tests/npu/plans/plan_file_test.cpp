// A plan's file gives the plan back, and anything else is refused by what is wrong with it.
#include "npu/plans/plan_file.h"

#include <random>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/npu/plans/random_tuning.h"
#include "tests/support/json_schema.h"
#include "tests/support/text.h"

using namespace wnpu::npu;  // NOLINT
using Json = nlohmann::ordered_json;

namespace {

const LayerShape kPlanShape{200, 128, 2, 512};

PlanFile plan_of(const LayerTuning& tuning, std::vector<LayerCall> calls = {LayerCall{}}) {
  return {&npu1(), Precision::bf16, kPlanShape, {tuning, std::move(calls)}};
}

Json json_of(const PlanFile& file) { return Json::parse(plan_file_text(file)); }

std::string plan_refusal(const std::string& text) {
  return wnpu::tests::message_of<std::invalid_argument>(
      [&] { static_cast<void>(parse_plan_file(text, "p.json")); });
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
    Json cut = whole;
    cut.erase(key);
    CAPTURE(key);
    CHECK(plan_refusal(cut.dump()).find(key) != std::string::npos);
    Json other = whole;
    other[key] = nullptr;
    CHECK(plan_refusal(other.dump()) != "");
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

TEST_CASE("plan file: values in any number of lists are refused") {
  constexpr std::size_t kLists = 1'000'000;
  Json whole = json_of(plan_of({}));
  whole["schema_version"] = "deep";
  std::string text = whole.dump();
  text.replace(text.find("\"deep\""), 6, std::string(kLists, '[') + std::string(kLists, ']'));
  CHECK(plan_refusal(text) ==
        "p.json: document: expected at most 16 levels of nesting, found more");
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

TEST_CASE("plan file: a note of what was modelled is taken, and not read") {
  Json json = json_of(plan_of({}));
  json["modelled"] = {{"layer_ms", 1.5}};
  CHECK(plan_refusal(json.dump()) == "");
}

TEST_CASE("design line: what it leaves out is the usual design's") {
  const PlanFile usual = plan_of({.a_slots = 6}, {{LayerOp::norm1, LayerOp::down}});
  const DesignLine same = parse_design_line("{}", "line 1", usual);
  CHECK(same.design.plan == usual.plan);
  CHECK(same.design.shape.hidden == kPlanShape.hidden);
  CHECK(same.id.empty());
  CHECK(same.preset.empty());
  const DesignLine line = parse_design_line(
      R"({"id": "a", "preset": "hawk-1.6/counted", "precision": "int8", "shape": {"hidden": 64},
          "tuning": {"b_slots": 2, "keeps_hidden": false},
          "calls": [["norm1", "out"], ["norm2", "down"]], "target": "npu4"})",
      "line 2", usual);
  CHECK(line.id == "a");
  CHECK(line.preset == "hawk-1.6/counted");
  CHECK(line.design.target == &npu4());
  CHECK(line.design.precision == Precision::int8);
  CHECK(line.design.shape.hidden == 64);
  CHECK(line.design.shape.width == kPlanShape.width);
  CHECK(line.design.plan.tuning == LayerTuning{.a_slots = 6, .b_slots = 2, .keeps_hidden = false});
  CHECK(line.design.plan.calls ==
        std::vector<LayerCall>{{LayerOp::norm1, LayerOp::out}, {LayerOp::norm2, LayerOp::down}});
}

TEST_CASE("design line: a field that is unknown or of another kind is named") {
  const auto refusal = [](const char* text) {
    return wnpu::tests::message_of<std::invalid_argument>(
        [&] { static_cast<void>(parse_design_line(text, "line 7", plan_of({}))); });
  };
  CHECK(refusal("{") == "line 7: a design: expected an object, found no JSON");
  CHECK(refusal("[]") == "line 7: a design: expected an object, found []");
  CHECK(refusal(R"({"colour": 1})") == "line 7: colour: expected no such field, found 1");
  CHECK(refusal(R"({"shape": {"depth": 1}})") == "line 7: depth: expected no such field, found 1");
  CHECK(refusal(R"({"shape": 3})") == "line 7: shape: expected an object, found 3");
  CHECK(refusal(R"({"shape": {"heads": -1}})") ==
        "line 7: heads: expected a whole number up to 1048576, found -1");
  CHECK(refusal(R"({"tuning": {"keeps_hidden": 1}})") ==
        "line 7: keeps_hidden: expected true or false, found 1");
  CHECK(refusal(R"({"tuning": null})") == "line 7: tuning: expected an object, found null");
  CHECK(refusal(R"({"precision": "fp8"})") ==
        "line 7: precision: expected bf16 or int8, found \"fp8\"");
  CHECK(refusal(R"({"target": "npu9"})") ==
        "line 7: target: expected npu1 or npu4, found \"npu9\"");
  CHECK(refusal(R"({"id": 4})") == "line 7: id: expected a text, found 4");
  CHECK(refusal(R"({"calls": []})") ==
        "line 7: calls: expected every operation once, in order, found []");
  CHECK(refusal(R"({"calls": 4})") == "line 7: calls: expected pairs of operations, found 4");
}

TEST_CASE("design line: the schema's fields are those that are read") {
  const auto schema = wnpu::tests::schema_of("app/commands/npu/design.schema.json");
  Json whole = json_of(plan_of({}));
  for (const char* of_files : {"document", "schema_version", "overlay", "designs"}) {
    whole.erase(of_files);
  }
  whole["id"] = "a";
  whole["preset"] = "hawk-1.6/counted";
  CHECK(wnpu::tests::schema_fault(schema, whole) == "");
  CHECK_NOTHROW(parse_design_line(whole.dump(), "line 1", plan_of({})));
  for (const char* part : {"shape", "tuning"}) {
    CHECK(schema.at("properties").at(part).at("properties").size() == whole.at(part).size());
  }
  CHECK(schema.at("properties").size() == whole.size());
  const auto enums = wnpu::tests::enums_of(schema);
  CHECK(enums.at("precision") == wnpu::tests::enum_of(kPrecisionNames));
  CHECK(enums.at("calls") == wnpu::tests::enum_of(kLayerOpNames));
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
