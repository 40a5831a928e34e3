// Verdicts and times of plans: those of check, bound and simulator, in JSON by its schema.
#include "npu/time_model/prediction.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "npu/sim/check.h"
#include "npu/sim/compile_call.h"
#include "tests/support/json_schema.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;
using Json = nlohmann::ordered_json;

namespace {

const PlanFile kSmallPlan{
    &npu1(),
    Precision::bf16,
    {200, 192, 3, 768},
    {{.norm_rows = 8}, {{LayerOp::norm1, LayerOp::attend}, {LayerOp::out, LayerOp::down}}}};
// Its panels exceed a mem tile.
const PlanFile kTooWide{
    &npu1(), Precision::bf16, {1500, 1280, 20, 5120}, {{.qkv_row_blocks = 6}, {LayerCall{}}}};
constexpr Depth kDepths[]{Depth::bound, Depth::simulate, Depth::check};

HardwareModel default_model() { return find_preset(kDefaultPreset); }

Json answer(const PlanFile& plan, Depth depth) {
  const Json json = Json::parse(prediction_json(predict(plan, default_model(), depth), "x"));
  CHECK(tests::schema_fault("app/commands/npu/prediction.schema.json", json) == "");
  CHECK(json.at("id") == "x");
  CHECK(json.at("kind") == "modelled");
  return json;
}

}  // namespace

TEST_CASE("prediction: the bound is below the simulated time, which is the simulator's") {
  const Prediction found = predict(kSmallPlan, default_model(), Depth::simulate);
  REQUIRE(found.problems.empty());
  REQUIRE(found.simulated);
  double ms = 0;
  for (const Design& design : designs_of(kSmallPlan.layer(), kSmallPlan.plan.calls)) {
    ms += time_call(design, default_model()).report.ms + default_model().list_launch_us * 1e-3;
  }
  CHECK(found.simulated->ms == doctest::Approx(ms));
  CHECK(found.bound_ms() <= found.simulated->ms);
  CHECK(found.bound_ms() > 0.5 * found.simulated->ms);
  const Prediction bound = predict(kSmallPlan, default_model(), Depth::bound);
  CHECK(bound.bound_ms() == found.bound_ms());
  CHECK(!bound.simulated);
}

TEST_CASE("prediction: JSON has what its depth looks at, and no more") {
  const Json bound = answer(kSmallPlan, Depth::bound);
  CHECK(bound.at("fits") == true);
  CHECK(bound.at("calls").size() == 2);
  CHECK(!bound.contains("simulated_ms"));
  CHECK(!bound.contains("plan"));
  const Json simulated = answer(kSmallPlan, Depth::simulate);
  CHECK(simulated.at("simulated_ms") > simulated.at("bound_ms"));
  CHECK(simulated.at("profile").at("operations").size() == kLayerOps);
  const Json checked = answer(kSmallPlan, Depth::check);
  CHECK(!checked.contains("bound_ms"));
  CHECK(parse_plan_file(checked.at("plan").dump(), "plan").plan == kSmallPlan.plan);
}

TEST_CASE("prediction: a plan that does not fit says why, by all depths") {
  PlanFile odd = kSmallPlan;
  odd.shape.heads = 7;
  for (const Depth depth : kDepths) {
    for (const PlanFile& plan : {kTooWide, odd}) {
      const Json json = answer(plan, depth);
      CHECK(json.at("fits") == false);
      CHECK(!json.at("problems").empty());
      CHECK(!json.contains("bound_ms"));
      CHECK(!json.contains("plan"));
    }
  }
}

TEST_CASE("prediction: the verdict is check's, on a plan that fits and on one that does not") {
  for (const PlanFile& plan : {kSmallPlan, kTooWide}) {
    std::vector<std::string> problems;
    for (const Design& design : designs_of(plan.layer(), plan.plan.calls)) {
      for (std::string& problem : check(design)) problems.push_back(std::move(problem));
    }
    const Prediction found = predict(plan, default_model(), Depth::check);
    CHECK(found.problems.empty() == problems.empty());
    CHECK(problems.empty() == (plan.shape.width == kSmallPlan.shape.width));
  }
}

TEST_CASE("prediction: text says what was modelled and looked at") {
  const auto text = [](const PlanFile& plan, Depth depth) {
    return prediction_text(predict(plan, default_model(), depth));
  };
  CHECK(text(kSmallPlan, Depth::check).starts_with("fits\n"));
  CHECK(text(kSmallPlan, Depth::bound).find("modelled, nothing was run on an NPU: at least") !=
        std::string::npos);
  CHECK(text(kSmallPlan, Depth::simulate).find("milliseconds of an average core") !=
        std::string::npos);
  CHECK(text(kTooWide, Depth::bound).starts_with("does not fit:\n  "));
}
