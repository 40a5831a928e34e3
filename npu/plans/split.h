// The ways to divide the encoder's work among several arrays of one kind.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "npu/design/layer_abi.h"
#include "npu/design/layer_design.h"

namespace wnpu::npu {

enum class Split {
  windows,  // each device does whole windows: data parallel
  layers,   // each device has some layers, windows go from one to the next: pipeline parallel
  heads,    // each device has some heads and hidden columns of all layers: tensor parallel
};

inline constexpr std::array<std::string_view, 3> kSplitNames{"windows", "layers", "heads"};

constexpr std::string_view split_name(Split split) {
  return kSplitNames[static_cast<std::size_t>(split)];
}
std::optional<Split> find_split(std::string_view name);

// Layers that follow each other.
struct LayerRange {
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const LayerRange&) const = default;
};

// n_layers in `parts` ranges, in order, the first ones one longer where they are not all alike.
// Throws std::invalid_argument, expected and found, unless each gets a layer.
std::vector<LayerRange> divide_layers(std::size_t n_layers, std::size_t parts);

// Ranges of a layer's heads, divided likewise, with their share of its hidden columns, 64 at a
// time.
std::vector<LayerPart> divide_heads(const LayerShape& shape, std::size_t parts);

// The two calls of a part, summands: LayerNorm to `out`, LayerNorm to `down`. Between them
// the parts' results are added up, which is why they are two.
std::array<LayerCall, 2> part_calls();

}  // namespace wnpu::npu
