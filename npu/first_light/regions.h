// Parts of a call's arguments, compared bit by bit, and a name for the place that differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "npu/design/layer_abi.h"
#include "npu/design/layer_design.h"

namespace wnpu::npu {

// Row and column as a program counts them, and whose: a region may hold several matrices.
struct Place {
  std::string matrix;  // "query", "key"
  std::size_t row = 0;
  std::size_t column = 0;
};

// 16-bit elements end to end in one argument.
struct ComparedRegion {
  std::string name;
  std::size_t argument = 0;
  std::size_t offset = 0;  // bytes
  std::size_t bytes = 0;

  std::size_t elements() const { return bytes / 2; }
};

// Regions of DDR that a layer's calls write: the output, and all of scratch but its padding tiles,
// which hold whatever came last.
std::vector<ComparedRegion> layer_regions(const LayerGeometry& geometry);
// Result of a product.
ComparedRegion product_region(const GemmProblem& problem);

// Place of a region's element in the layer; empty for padding rows, and for LayerNorm's rows in
// int8.
std::optional<Place> place_in_layer(const LayerGeometry& geometry, const ComparedRegion& region,
                                    std::size_t element);
Place place_in_product(const GemmProblem& problem, std::size_t element);

// Differences found in a region.
struct Difference {
  std::string region;
  std::size_t element = 0;  // the first, in memory's order
  std::optional<Place> place;
  std::uint16_t expected = 0;
  std::uint16_t found = 0;
  std::size_t differing = 0;  // elements
  std::size_t compared = 0;
  // Largest distance in bfloat16 steps over pairs without a NaN; empty if every pair has one.
  std::optional<std::uint32_t> max_ulp;
};

// Nothing where all bits are equal; `place` is left to the caller. The spans are the whole
// argument's.
std::optional<Difference> compare(const ComparedRegion& region, std::span<const std::byte> expected,
                                  std::span<const std::byte> found);

}  // namespace wnpu::npu
