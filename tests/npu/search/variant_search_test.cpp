// A search from limits to the members of a front: simulated, within the limits, and none better
// than another.
#include "npu/search/variant_search.h"

#include <algorithm>

#include <doctest/doctest.h>

using namespace wnpu::npu;  // NOLINT

namespace {

VariantSearchOptions options() {
  VariantSearchOptions o;
  o.space = usual_space({300, 256, 4, 512, 3});
  o.preset = find_preset(kDefaultPreset);
  o.predictor = &predictors().back();
  o.budget.evaluations = 120;
  o.most_members = 6;
  o.threads = 2;
  return o;
}

}  // namespace

TEST_CASE("variant search: members meet the limits as simulated, and none beats another") {
  VariantSearchOptions o = options();
  o.most_mb = 4;
  o.most_ms = 4;
  const VariantSearchResult result = search_variants(o);
  REQUIRE(!result.front.empty());
  CHECK(result.front.size() <= o.most_members);
  CHECK(result.n_looked_at == 120);
  CHECK(result.n_within == result.seen.size());
  CHECK(!result.nearest);
  CHECK(result.whole.kept == 1);
  std::vector<Outcome> outcomes;
  VariantCosts exact(o.space.whole, o.preset, nullptr, 1);
  for (const Member& member : result.front) {
    CHECK(member.exact.refusal.empty());
    CHECK(member.exact.ms <= *o.most_ms);
    CHECK(member.exact.memory_mb() <= *o.most_mb);
    CHECK(member.exact.ms == exact.cost(member.variant).ms);
    CHECK(member.predicted_ms == doctest::Approx(member.exact.ms).epsilon(0.4));
    outcomes.push_back({{member.exact.ms, member.exact.memory_mb(), 1 - member.kept}, 0});
  }
  CHECK(pareto_front(outcomes).size() == outcomes.size());
  CHECK(std::ranges::is_sorted(result.front, {}, [](const Member& m) { return m.exact.ms; }));
}

TEST_CASE("variant search: what a bound from below promises too much of is dropped") {
  VariantSearchOptions o = options();
  o.method = SearchMethod::exhaustive;
  o.space.heads = {4, 2};
  o.space.hidden = {512, 128};
  o.space.precisions = {Precision::bf16};
  o.budget = {};
  o.predictor = predictors().data();
  const VariantSearchResult free = search_variants(o);
  CHECK(free.end == SearchEnd::space);
  REQUIRE(!free.front.empty());
  for (const Member& member : free.front) CHECK(member.predicted_ms < member.exact.ms);
  const Member& slowest = free.front.back();
  o.most_ms = (slowest.predicted_ms + slowest.exact.ms) / 2;
  const VariantSearchResult limited = search_variants(o);
  const auto found = std::ranges::find(limited.dropped, slowest.variant, &DroppedMember::variant);
  REQUIRE(found != limited.dropped.end());
  CHECK_MESSAGE(found->reason.starts_with("simulated "), found->reason);
  CHECK(!limited.front.empty());
}

TEST_CASE("variant search: where nothing meets the limits it names the nearest") {
  VariantSearchOptions o = options();
  o.most_ms = 0.001;
  const VariantSearchResult result = search_variants(o);
  CHECK(result.front.empty());
  CHECK(result.n_within == 0);
  REQUIRE(result.nearest);
  CHECK(result.nearest->exact.ms > *o.most_ms);
  VariantCosts costs(o.space.whole, o.preset, o.predictor, 1);
  for (const Genes& genes : {least_genes(o.space), whole_genes(o.space)}) {
    CHECK(result.nearest->predicted_ms <= costs.cost(variant_of(o.space, genes)).ms);
  }
}

TEST_CASE("variant search: layers that the array cannot run are named, and in no member") {
  VariantSearchOptions o = options();
  o.space = usual_space({300, 192, 3, 512, 2});
  o.space.precisions = {Precision::bf16, Precision::int8};  // which 192 columns do not have
  const VariantSearchResult result = search_variants(o);
  CHECK(!result.front.empty());
  CHECK(!result.refused_layers.empty());
  for (const auto& [key, reason] : result.refused_layers) {
    CHECK(key.precision == Precision::int8);
    CHECK(reason.find("width for int8") != std::string::npos);
  }
  for (const Member& member : result.front) {
    for (const LayerVariant& layer : member.variant.layers) {
      CHECK(layer.precision == Precision::bf16);
    }
  }
}

TEST_CASE("variant search: what is lost may be something else than work, layer by layer") {
  VariantSearchOptions o = options();
  o.space.tells_layers_apart = true;
  // The middle layer is all that matters.
  o.losses = [](std::span<const EncoderVariant> variants) {
    std::vector<double> losses;
    for (const EncoderVariant& v : variants) {
      const auto at = std::ranges::find(v.layers, std::size_t{1}, &LayerVariant::layer);
      losses.push_back(at == v.layers.end() ? 1 : 0.1 * (4.0 - static_cast<double>(at->heads)));
    }
    return losses;
  };
  o.method = SearchMethod::bayesian;
  const VariantSearchResult result = search_variants(o);
  REQUIRE(!result.front.empty());
  const Member& best = *std::ranges::min_element(result.front, {}, &Member::loss);
  CHECK(best.loss == 0);
  CHECK(best.kept < 0.5);
  REQUIRE(best.variant.layers.size() == 1);
  CHECK(best.variant.layers[0].layer == 1);
  CHECK(best.variant.layers[0].heads == 4);
}
