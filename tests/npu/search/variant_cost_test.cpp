// Cost of a variant is that of its calls: by the simulator exactly, and what the array cannot run
// is refused with a reason.
#include "npu/search/variant_cost.h"

#include <doctest/doctest.h>

#include "npu/control/control_program.h"
#include "npu/design/layer_design.h"
#include "npu/plans/plan_model.h"
#include "npu/sim/compile_call.h"

using namespace wnpu::npu;  // NOLINT

namespace {

constexpr WholeEncoder kSmallEncoder{300, 256, 4, 512, 3};

TimePreset usual() { return find_preset(kDefaultPreset); }

}  // namespace

TEST_CASE("variant cost: the whole encoder's time is that of the plan fused") {
  VariantCosts costs(kSmallEncoder, usual(), nullptr, 1);
  const VariantCost cost = costs.cost(whole_variant(kSmallEncoder));
  const PlanCost plan = model_plan({256, 4, 512, 3}, 300, Plan::fused, usual());
  CHECK(cost.refusal.empty());
  CHECK(cost.ms == doctest::Approx(plan.modelled_ms()));
  const LayerGeometry g = layer_geometry(npu1(), {300, 256, 4, 512}, Precision::bf16);
  const std::size_t program = plan.controller.bytes / 3;  // the same three times
  CHECK(cost.memory_bytes == 3 * g.weights_bytes + g.scratch_bytes + 2 * g.states_bytes + program);
  CHECK(costs.n_layers() == 1);
}

TEST_CASE("variant cost: layers of different shapes and precisions add up") {
  const EncoderVariant mixed{
      2, {{0, 4, 512, Precision::bf16}, {1, 1, 64, Precision::int8}, {2, 1, 64, Precision::int8}}};
  VariantCosts exact(kSmallEncoder, usual(), nullptr, 1);
  const VariantCost cost = exact.cost(mixed);
  double ms = 0;
  std::size_t bytes = 0;
  std::size_t scratch = 0;
  for (const auto& [heads, hidden, precision, times] :
       {std::tuple{4U, 512U, Precision::bf16, 1U}, {1U, 64U, Precision::int8, 2U}}) {
    const LayerGeometry g = layer_geometry(npu1(), {150, 256, heads, hidden}, precision);
    const TimedCall timed = time_call(layer_design(g), usual());
    ms += times * (timed.report.ms + usual().list_launch_us * 1e-3);
    bytes += times * g.weights_bytes + encode(timed.program.program).size();
    scratch = std::max(scratch, g.scratch_bytes);
  }
  const LayerGeometry any = layer_geometry(npu1(), {150, 256, 4, 512}, Precision::bf16);
  CHECK(cost.ms == doctest::Approx(ms));
  CHECK(cost.memory_bytes == bytes + scratch + 2 * any.states_bytes);
  // A predictor knows the same bytes, but for the control programs.
  VariantCosts bound(kSmallEncoder, usual(), predictors().data(), 1);
  CHECK(bound.cost(mixed).ms <= cost.ms);
  CHECK(bound.cost(mixed).memory_bytes < cost.memory_bytes);
}

TEST_CASE("variant cost: what the array cannot run is refused, with why") {
  // Rows of 192 have no int8; a shape with more frames than a call can have is none.
  const WholeEncoder odd{300, 192, 3, 256, 2};
  const EncoderVariant bytes{1, {{0, 3, 256, Precision::bf16}, {1, 3, 256, Precision::int8}}};
  for (const Predictor* predictor : {static_cast<const Predictor*>(nullptr), predictors().data()}) {
    VariantCosts costs(odd, usual(), predictor, 2);
    CHECK(costs.cost(bytes).refusal ==
          "layer 1: layer shape: width for int8: expected a multiple of 128, found 192");
    CHECK(costs.cost(whole_variant(odd)).refusal.empty());
    CHECK(costs.refusals().size() == 1);
    VariantCosts narrow({300, 256, 4, 100, 1}, usual(), predictor, 1);
    CHECK(narrow.cost({1, {{0, 4, 100}}}).refusal ==
          "layer 0: layer shape: hidden: expected a multiple of 64, found 100");
  }
}

TEST_CASE("variant cost: threads change nothing") {
  std::vector<EncoderVariant> variants;
  for (std::size_t heads = 1; heads <= 4; ++heads) {
    for (const std::size_t hidden : {64U, 256U, 512U}) {
      variants.push_back({1 + heads % 2, {{0, heads, hidden, Precision::bf16}}});
    }
  }
  std::vector<double> first;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    VariantCosts costs(kSmallEncoder, usual(), &predictors().back(), threads);
    std::vector<double> ms;
    for (const VariantCost& cost : costs.costs(variants)) ms.push_back(cost.ms);
    if (first.empty()) first = ms;
    CHECK(ms == first);
  }
}
