// Variants as rows of genes: each once, each one that there is.
#include "npu/search/variant_space.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

using namespace wnpu::npu;  // NOLINT

namespace {

constexpr WholeEncoder kTinyEncoder{1500, 384, 6, 1536, 4};

VariantSpace few() {
  VariantSpace space;
  space.whole = {1500, 128, 2, 256, 3};
  space.poolings = {1, 2, 3};
  space.heads = {2, 1};
  space.hidden = {256, 64};
  space.precisions = {Precision::bf16, Precision::int8};
  return space;
}

}  // namespace

TEST_CASE("variant space: each variant once, as many as it says") {
  for (const std::size_t least : {1U, 2U, 3U, 11U, 12U, 13U}) {
    VariantSpace space = few();
    space.tells_layers_apart = least > 10;
    space.least_layers = least % 10;
    std::vector<EncoderVariant> seen;
    for_each_variant(space, [&](const Genes& genes) {
      const EncoderVariant variant = variant_of(space, genes);
      CHECK(variant_fault(space.whole, variant).empty());
      CHECK(variant.layers.size() >= space.least_layers);
      CHECK(genes == canonical(space, genes));
      seen.push_back(variant);
      return true;
    });
    std::set<std::string> texts;
    for (const EncoderVariant& variant : seen) texts.insert(variant_text(variant));
    CHECK(texts.size() == seen.size());
    CHECK(static_cast<double>(seen.size()) == space.size());
  }
}

TEST_CASE("variant space: chance, changes and crossings stay within it") {
  SearchRandom random(5);
  VariantSpace apart = usual_space(kTinyEncoder);
  apart.tells_layers_apart = true;
  for (const VariantSpace& space : {few(), usual_space(kTinyEncoder), apart}) {
    CHECK(space_fault(space).empty());
    Genes genes = whole_genes(space);
    std::set<std::size_t> numbers;
    for (int i = 0; i < 2000; ++i) {
      const Genes other = random_genes(space, random);
      genes = i % 3 == 0 ? crossed(space, genes, other, random) : mutated(space, genes, random);
      for (const Genes& row : {genes, other}) {
        CHECK(row == canonical(space, row));
        CHECK(variant_fault(space.whole, variant_of(space, row)).empty());
      }
      numbers.insert(variant_of(space, other).layers.size());
      for (const double f : features(space, genes)) CHECK((f >= 0 && f <= 1));
    }
    CHECK(numbers.size() == space.whole.layers);
  }
}

TEST_CASE("variant space: layers that stay are far apart, the larger ones first") {
  VariantSpace space = usual_space({1500, 512, 8, 2048, 6});
  space.precisions = {Precision::bf16};
  const auto layers = [&](const EncoderVariant& variant) {
    std::vector<std::size_t> numbers;
    for (const LayerVariant& layer : variant.layers) numbers.push_back(layer.layer);
    return numbers;
  };
  std::set<std::vector<std::size_t>> seen;
  SearchRandom random(6);
  for (int i = 0; i < 500; ++i) {
    const EncoderVariant variant = variant_of(space, random_genes(space, random));
    seen.insert(layers(variant));
    CHECK(std::ranges::is_sorted(variant.layers, [](const LayerVariant& a, const LayerVariant& b) {
      return std::pair(a.heads, a.hidden) > std::pair(b.heads, b.hidden);
    }));
  }
  CHECK(seen == std::set<std::vector<std::size_t>>{
                    {0}, {0, 5}, {0, 3, 5}, {0, 2, 3, 5}, {0, 1, 3, 4, 5}, {0, 1, 2, 3, 4, 5}});
}

TEST_CASE("variant space: its ends are the whole encoder and the least of it") {
  VariantSpace space = usual_space(kTinyEncoder);
  CHECK(variant_of(space, whole_genes(space)) == whole_variant(kTinyEncoder));
  CHECK(share_kept(kTinyEncoder, whole_variant(kTinyEncoder)) == 1);
  const EncoderVariant least = variant_of(space, least_genes(space));
  REQUIRE(least.layers.size() == 1);
  CHECK(least.layers[0] == LayerVariant{0, 1, 192, Precision::int8});
  CHECK(least.pooling == 2);
  space.least_layers = 3;
  CHECK(variant_of(space, least_genes(space)).layers.size() == 3);
  CHECK(space.hidden == std::vector<std::size_t>{1536, 1344, 1152, 960, 768, 576, 384, 192});
  CHECK(space.heads == std::vector<std::size_t>{6, 5, 4, 3, 2, 1});
}

TEST_CASE("variant space: what can be no space is refused") {
  VariantSpace space = few();
  space.heads = {1, 2};
  CHECK(space_fault(space) == "heads: expected 2 first, found 1");
  space = few();
  space.hidden.clear();
  CHECK(space_fault(space) == "hidden: expected 1 to 256 choices, found 0");
  space = few();
  space.least_layers = 4;
  CHECK(space_fault(space) == "layers: expected at least 1 to 3 to stay, found 4");
  space = few();
  space.precisions = {Precision::int8};
  CHECK(space_fault(space) == "precision: expected bf16 first");
}

TEST_CASE("variant: what there is none of has a fault") {
  const auto fault = [](const EncoderVariant& variant) {
    return variant_fault(kTinyEncoder, variant);
  };
  CHECK(fault({1, {}}) == "layers: expected at least 1, found 0");
  CHECK(fault({0, {{0, 6, 1536}}}) == "pooling: expected 1 to 1500, found 0");
  CHECK(fault({1, {{4, 6, 1536}}}) == "layer: expected one below 4, found 4");
  CHECK(fault({1, {{2, 7, 1536}}}) == "layer 2: heads: expected 1 to 6, found 7");
  CHECK(fault({1, {{2, 6, 0}}}) == "layer 2: hidden: expected 1 to 1536, found 0");
  CHECK(fault({1, {{2, 6, 64}, {2, 6, 64}}}) == "layer: expected one above 2, found 2");
  CHECK(fault({1, {{0, 1, 64}, {3, 6, 64}}}).empty());
}

TEST_CASE("variant: its text says what neighbours share once") {
  const EncoderVariant variant{
      2,
      {{0, 6, 1536, Precision::bf16}, {1, 6, 1536, Precision::bf16}, {3, 1, 64, Precision::int8}}};
  CHECK(variant_text(variant) ==
        "pooling 2, layers 0-1: 6 heads, hidden 1536, bf16; 3: 1 head, hidden 64, int8");
}

TEST_CASE("variant: what is kept falls with each thing that goes") {
  EncoderVariant variant = whole_variant(kTinyEncoder);
  double before = 1;
  const auto falls = [&] {
    const double now = share_kept(kTinyEncoder, variant);
    CHECK(now < before);
    before = now;
  };
  variant.layers[0].heads = 5;
  falls();
  variant.layers[1].hidden = 1472;
  falls();
  variant.layers[2].precision = Precision::int8;
  falls();
  variant.layers.pop_back();
  falls();
  variant.pooling = 2;
  falls();
  CHECK(before > 0);
}
