#include "npu/search/variant_space.h"

#include <algorithm>
#include <cmath>

namespace wnpu::npu {
namespace {

constexpr std::size_t kMostChoices = 256;
constexpr std::size_t kLayerGenes = VariantSpace::kGenesALayer;

// Genes of a layer.
enum LayerGene : std::size_t { kGone, kHeads, kHidden, kPrecision };

std::size_t gene_of(std::size_t layer, LayerGene which) { return 1 + kLayerGenes * layer + which; }

bool stays(const Genes& genes, std::size_t layer) { return genes[gene_of(layer, kGone)] == 0; }

// How many ways there are to take k of n things, each once ...
double subsets(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    result = result * static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return result;
}

// ... and each as often as one likes.
double multisets(std::size_t n, std::size_t k) {
  double result = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    result = result * static_cast<double>(n + i - 1) / static_cast<double>(i);
  }
  return result;
}

// Heads, hidden columns and precision of a layer as one number, the largest shape first.
std::size_t layer_choice(const VariantSpace& space, const Genes& genes, std::size_t layer) {
  return (genes[gene_of(layer, kHeads)] * space.hidden.size() + genes[gene_of(layer, kHidden)]) *
             space.precisions.size() +
         genes[gene_of(layer, kPrecision)];
}

void set_layer(const VariantSpace& space, Genes& genes, std::size_t layer, std::size_t choice) {
  const std::size_t precisions = space.precisions.size();
  const std::size_t hidden = space.hidden.size();
  genes[gene_of(layer, kGone)] = 0;
  genes[gene_of(layer, kPrecision)] = static_cast<std::uint8_t>(choice % precisions);
  genes[gene_of(layer, kHidden)] = static_cast<std::uint8_t>(choice / precisions % hidden);
  genes[gene_of(layer, kHeads)] = static_cast<std::uint8_t>(choice / precisions / hidden);
}

void drop_layer(const VariantSpace& space, Genes& genes, std::size_t layer) {
  set_layer(space, genes, layer, 0);
  genes[gene_of(layer, kGone)] = 1;
}

// Layers with these choices, in ascending order, as far apart as can be.
Genes member_row(const VariantSpace& space, std::uint8_t pooling,
                 const std::vector<std::size_t>& choices) {
  Genes genes(space.n_genes(), 0);
  genes[0] = pooling;
  for (std::size_t layer = 0; layer < space.whole.layers; ++layer) genes[gene_of(layer, kGone)] = 1;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::size_t gaps = std::max<std::size_t>(1, choices.size() - 1);
    const std::size_t layer = (2 * i * (space.whole.layers - 1) + gaps) / (2 * gaps);
    set_layer(space, genes, layer, choices[i]);
  }
  return genes;
}

// Every ascending row of choices that goes on from `choices`; false: enough.
bool go_on(const VariantSpace& space, std::vector<std::size_t>& choices,
           const std::function<bool(const std::vector<std::size_t>&)>& take) {
  if (choices.size() >= space.least_layers && !take(choices)) return false;
  if (choices.size() == space.whole.layers) return true;
  for (std::size_t c = choices.empty() ? 0 : choices.back(); c < space.n_layer_choices(); ++c) {
    choices.push_back(c);
    if (!go_on(space, choices, take)) return false;
    choices.pop_back();
  }
  return true;
}

// Every row of layers that goes on from `genes`, whose layers from `layer` on are gone; false:
// enough.
bool go_on_apart(const VariantSpace& space, Genes& genes, std::size_t stay, std::size_t layer,
                 const std::function<bool(const Genes&)>& take) {
  const std::size_t left = space.whole.layers - layer;
  if (left == 0) return take(genes);
  for (std::size_t c = 0; c < space.n_layer_choices(); ++c) {
    set_layer(space, genes, layer, c);
    if (!go_on_apart(space, genes, stay + 1, layer + 1, take)) return false;
  }
  drop_layer(space, genes, layer);
  return stay + left <= space.least_layers || go_on_apart(space, genes, stay, layer + 1, take);
}

// Eighths of a number of units, at least one, without doubles.
std::vector<std::size_t> eighths(std::size_t whole, std::size_t unit_size) {
  std::vector<std::size_t> sizes;
  for (std::size_t eighth = 8; eighth >= 1; --eighth) {
    const std::size_t units = std::max<std::size_t>(1, whole / unit_size * eighth / 8);
    if (sizes.empty() || sizes.back() != units * unit_size) sizes.push_back(units * unit_size);
  }
  return sizes;
}

void step(const VariantSpace& space, Genes& genes, std::size_t gene, SearchRandom& random) {
  const std::size_t n = space.n_choices(gene);
  if (n < 2) return;
  const std::size_t now = genes[gene];
  // A neighbour, or in one of four cases any other.
  std::size_t next = (now + 1 + below(random, n - 1)) % n;
  if (below(random, 4) != 0)
    next = now == 0 || (now + 1 < n && below(random, 2) == 0) ? now + 1 : now - 1;
  genes[gene] = static_cast<std::uint8_t>(next);
}

std::string choices_fault(const char* what, const std::vector<std::size_t>& choices,
                          std::size_t whole) {
  std::string fault = what;
  if (choices.empty() || choices.size() > kMostChoices) {
    return fault + ": expected 1 to 256 choices, found " + std::to_string(choices.size());
  }
  if (choices.front() != whole) {
    return fault + ": expected " + std::to_string(whole) + " first, found " +
           std::to_string(choices.front());
  }
  return "";
}

// canonical() of layers that are told apart.
Genes with_layers_apart(const VariantSpace& space, Genes genes) {
  std::size_t stay = 0;
  for (std::size_t layer = 0; layer < space.whole.layers; ++layer) {
    if (stays(genes, layer)) {
      ++stay;
    } else {
      drop_layer(space, genes, layer);
    }
  }
  for (std::size_t layer = 0; stay < space.least_layers; ++layer) {
    if (stays(genes, layer)) continue;
    set_layer(space, genes, layer, 0);
    ++stay;
  }
  return genes;
}

}  // namespace

std::size_t below(SearchRandom& random, std::size_t n) { return random() % n; }
double unit(SearchRandom& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

std::size_t VariantSpace::n_choices(std::size_t gene) const {
  if (gene == 0) return poolings.size();
  switch ((gene - 1) % kGenesALayer) {
    case kGone:
      return least_layers < whole.layers ? 2 : 1;
    case kHeads:
      return heads.size();
    case kHidden:
      return hidden.size();
    default:
      return precisions.size();
  }
}

double VariantSpace::size() const {
  double n = 0;
  for (std::size_t stay = least_layers; stay <= whole.layers; ++stay) {
    n += tells_layers_apart
             ? subsets(whole.layers, stay) *
                   std::pow(static_cast<double>(n_layer_choices()), static_cast<double>(stay))
             : multisets(n_layer_choices(), stay);
  }
  return n * static_cast<double>(poolings.size());
}

VariantSpace usual_space(const WholeEncoder& whole) {
  VariantSpace space;
  space.whole = whole;
  space.poolings = {1, 2};
  space.heads = eighths(whole.heads, 1);
  space.hidden = eighths(whole.hidden, kHeadWidth);
  if (whole.width % 128 == 0) space.precisions = {Precision::bf16, Precision::int8};
  return space;
}

std::string space_fault(const VariantSpace& space) {
  for (const std::string& fault : {choices_fault("pooling", space.poolings, 1),
                                   choices_fault("heads", space.heads, space.whole.heads),
                                   choices_fault("hidden", space.hidden, space.whole.hidden)}) {
    if (!fault.empty()) return fault;
  }
  if (space.precisions.empty() || space.precisions.front() != Precision::bf16) {
    return "precision: expected bf16 first";
  }
  if (space.least_layers == 0 || space.least_layers > space.whole.layers) {
    return "layers: expected at least 1 to " + std::to_string(space.whole.layers) +
           " to stay, found " + std::to_string(space.least_layers);
  }
  return "";
}

EncoderVariant variant_of(const VariantSpace& space, const Genes& genes) {
  EncoderVariant variant;
  variant.pooling = space.poolings.at(genes.at(0));
  for (std::size_t layer = 0; layer < space.whole.layers; ++layer) {
    if (!stays(genes, layer)) continue;
    variant.layers.push_back({layer, space.heads.at(genes[gene_of(layer, kHeads)]),
                              space.hidden.at(genes[gene_of(layer, kHidden)]),
                              space.precisions.at(genes[gene_of(layer, kPrecision)])});
  }
  return variant;
}

Genes whole_genes(const VariantSpace& space) { return Genes(space.n_genes(), 0); }

Genes least_genes(const VariantSpace& space) {
  Genes genes(space.n_genes());
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    genes[gene] = static_cast<std::uint8_t>(space.n_choices(gene) - 1);
  }
  for (std::size_t layer = 0; layer < space.whole.layers; ++layer) {
    genes[gene_of(layer, kGone)] = layer < space.least_layers ? 0 : 1;
  }
  return canonical(space, std::move(genes));
}

Genes canonical(const VariantSpace& space, Genes genes) {
  if (space.tells_layers_apart) return with_layers_apart(space, std::move(genes));
  std::vector<std::size_t> choices;
  for (std::size_t layer = 0; layer < space.whole.layers; ++layer) {
    if (stays(genes, layer)) choices.push_back(layer_choice(space, genes, layer));
  }
  choices.resize(std::max(choices.size(), space.least_layers), 0);
  std::ranges::sort(choices);
  return member_row(space, genes[0], choices);
}

Genes random_genes(const VariantSpace& space, SearchRandom& random) {
  Genes genes(space.n_genes());
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    genes[gene] = static_cast<std::uint8_t>(below(random, space.n_choices(gene)));
  }
  const double share = unit(random);
  for (std::size_t layer = 0; layer < space.whole.layers; ++layer) {
    genes[gene_of(layer, kGone)] = unit(random) < share ? 0 : 1;
  }
  return canonical(space, std::move(genes));
}

Genes mutated(const VariantSpace& space, Genes genes, SearchRandom& random) {
  const std::size_t layers = space.whole.layers;
  do {
    const std::size_t layer = below(random, layers);
    const std::size_t what = below(random, 2 + kLayerGenes);
    if (what == 0) {
      step(space, genes, 0, random);
    } else if (what <= kLayerGenes) {
      step(space, genes, gene_of(layer, static_cast<LayerGene>(what - 1)), random);
    } else {  // one layer as another
      const std::size_t other = below(random, layers);
      std::copy_n(&genes[gene_of(other, kGone)], kLayerGenes, &genes[gene_of(layer, kGone)]);
    }
  } while (below(random, 3) == 0);
  return canonical(space, std::move(genes));
}

Genes crossed(const VariantSpace& space, const Genes& one, const Genes& other,
              SearchRandom& random) {
  Genes genes = one;
  if (below(random, 2) == 0) genes[0] = other[0];
  for (std::size_t layer = 0; layer < space.whole.layers; ++layer) {
    if (below(random, 2) == 0) continue;
    std::copy_n(&other[gene_of(layer, kGone)], kLayerGenes, &genes[gene_of(layer, kGone)]);
  }
  return canonical(space, std::move(genes));
}

void for_each_variant(const VariantSpace& space, const std::function<bool(const Genes&)>& take) {
  bool goes_on = true;
  for (std::size_t pooling = 0; pooling < space.poolings.size() && goes_on; ++pooling) {
    if (space.tells_layers_apart) {
      Genes genes = member_row(space, static_cast<std::uint8_t>(pooling), {});
      goes_on = go_on_apart(space, genes, 0, 0, take);
      continue;
    }
    std::vector<std::size_t> choices;
    goes_on = go_on(space, choices, [&](const std::vector<std::size_t>& found) {
      return take(member_row(space, static_cast<std::uint8_t>(pooling), found));
    });
  }
}

std::vector<double> features(const VariantSpace& space, const Genes& genes) {
  const auto layers = static_cast<double>(space.whole.layers);
  const EncoderVariant variant = variant_of(space, genes);
  std::vector<double> sums(kLayerGenes, 0.0);
  std::vector<double> all(kLayerGenes * space.whole.layers, 0.0);
  for (const LayerVariant& layer : variant.layers) {
    const double of_layer[kLayerGenes] = {
        1, static_cast<double>(layer.heads) / static_cast<double>(space.whole.heads),
        static_cast<double>(layer.hidden) / static_cast<double>(space.whole.hidden),
        layer.precision == Precision::bf16 ? 1.0 : 0.0};
    for (std::size_t i = 0; i < kLayerGenes; ++i) {
      all[kLayerGenes * layer.layer + i] = of_layer[i] / std::sqrt(layers);
      sums[i] += of_layer[i] / layers;
    }
  }
  all.insert(all.end(), sums.begin(), sums.end());
  all.push_back(1.0 / static_cast<double>(variant.pooling));
  return all;
}

}  // namespace wnpu::npu
