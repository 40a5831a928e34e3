// The variants that a search looks at, each a row of small numbers (genes): positions pooled, and
// for every layer whether it stays, its heads, its hidden columns and its precision. Choice 0 of a
// gene is the whole encoder's.
//
// The array takes as long for one layer as for another of its shape. Unless it tells layers apart,
// a space has one of all variants that differ in which layers stay, or which of them has what: as
// many layers as stay, as far apart as can be, the first and the last among them (as Distil-Whisper
// takes them, Gandhi et al., arXiv 2311.00430), and the larger shapes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "npu/search/encoder_variant.h"

namespace wnpu::npu {

using Genes = std::vector<std::uint8_t>;
using SearchRandom = std::mt19937_64;

// Random numbers made here, since the standard leaves its distributions to the library.
std::size_t below(SearchRandom& random, std::size_t n);  // 0 to n - 1
double unit(SearchRandom& random);                       // 0 up to 1

struct VariantSpace {
  WholeEncoder whole;
  // Choices, the whole encoder's first; at most 256 each.
  std::vector<std::size_t> poolings{1};
  std::vector<std::size_t> heads;
  std::vector<std::size_t> hidden;
  std::vector<Precision> precisions{Precision::bf16};
  std::size_t least_layers = 1;
  bool tells_layers_apart = false;

  // Genes of a row: the pooling, then kGenesALayer for every layer.
  static constexpr std::size_t kGenesALayer = 4;
  std::size_t n_genes() const { return 1 + kGenesALayer * whole.layers; }
  std::size_t n_choices(std::size_t gene) const;
  // Choices for a layer that is kept.
  std::size_t n_layer_choices() const { return heads.size() * hidden.size() * precisions.size(); }
  // How many variants there are; beyond 2^53 roughly.
  double size() const;
};

// Poolings of 1 and 2, eighths of the heads and of the hidden columns, both precisions where the
// width has int8.
VariantSpace usual_space(const WholeEncoder& whole);

// Why a search cannot look at such a space; empty: it can.
std::string space_fault(const VariantSpace& space);

EncoderVariant variant_of(const VariantSpace& space, const Genes& genes);

// The whole encoder, and the least that the space has.
Genes whole_genes(const VariantSpace& space);
Genes least_genes(const VariantSpace& space);

// The row of the space that costs the same: genes of a layer that does not stay are zero, layers
// that are not told apart in their places; where too few stay, whole ones come back.
Genes canonical(const VariantSpace& space, Genes genes);

// As likely with few layers as with many.
Genes random_genes(const VariantSpace& space, SearchRandom& random);
// Changes of a row: one gene or a few.
Genes mutated(const VariantSpace& space, Genes genes, SearchRandom& random);
// Every layer, and the pooling, of one of both.
Genes crossed(const VariantSpace& space, const Genes& one, const Genes& other,
              SearchRandom& random);

// Every variant once; `take` says whether to go on.
void for_each_variant(const VariantSpace& space, const std::function<bool(const Genes&)>& take);

// Features of a row for models of the objectives: numbers of 0 to 1.
std::vector<double> features(const VariantSpace& space, const Genes& genes);

}  // namespace wnpu::npu
