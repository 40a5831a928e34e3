#include "npu/plans/split.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wnpu::npu {
namespace {

std::vector<LayerRange> divide(std::size_t n, std::size_t parts, const char* what) {
  if (parts == 0 || parts > n) {
    throw std::invalid_argument("expected at most " + std::to_string(n) +
                                " devices, one for each " + what + ", found " +
                                std::to_string(parts));
  }
  std::vector<LayerRange> ranges;
  std::size_t first = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t count = n / parts + (i < n % parts ? 1 : 0);
    ranges.push_back({first, count});
    first += count;
  }
  return ranges;
}

}  // namespace

std::optional<Split> find_split(std::string_view name) {
  const auto* const found = std::ranges::find(kSplitNames, name);
  if (found == kSplitNames.end()) return std::nullopt;
  return static_cast<Split>(found - kSplitNames.begin());
}

std::vector<LayerRange> divide_layers(std::size_t n_layers, std::size_t parts) {
  return divide(n_layers, parts, "layer");
}

std::vector<LayerPart> divide_heads(const LayerShape& shape, std::size_t parts) {
  const auto heads = divide(shape.heads, parts, "head");
  const auto columns = divide(shape.hidden / 64, parts, "64 hidden columns");
  std::vector<LayerPart> all;
  for (std::size_t i = 0; i < parts; ++i) {
    all.push_back({heads[i].first, heads[i].count, 64 * columns[i].first, 64 * columns[i].count});
  }
  return all;
}

std::array<LayerCall, 2> part_calls() {
  return {LayerCall{LayerOp::norm1, LayerOp::out, true, true},
          LayerCall{LayerOp::norm2, LayerOp::down, true, true}};
}

}  // namespace wnpu::npu
