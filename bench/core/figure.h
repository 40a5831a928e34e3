// A figure of a result: never without where it is from.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/core/stats.h"

namespace wnpu::bench {

// Measured here and now, modelled by the simulator, or published by others.
enum class Origin { kMeasured, kModelled, kPublished };
inline constexpr std::array<std::string_view, 3> kOriginNames{"measured", "modelled", "published"};

std::string name_of(Origin origin);

struct Figure {
  std::string name;  // "encoder per window"
  std::string unit;  // "s", "x", "bytes", "J", "tokens"; empty: a ratio
  Origin origin = Origin::kMeasured;
  double value = 0;             // of several runs the median
  std::optional<Summary> runs;  // where there were several
  // Labels that tell it from others of its name: {"plan", "fused"}, {"frames", "1500"}.
  std::vector<std::pair<std::string, std::string>> labels;
  std::string note;  // what a reader must know, or the source of a published figure
};

// The median, with the summary of all runs. times is not empty.
Figure figure_of_runs(std::string name, std::string unit, std::span<const double> values);

}  // namespace wnpu::bench
