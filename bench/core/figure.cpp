#include "bench/core/figure.h"

namespace wnpu::bench {

std::string name_of(Origin origin) {
  return std::string(kOriginNames[static_cast<std::size_t>(origin)]);
}

Figure figure_of_runs(std::string name, std::string unit, std::span<const double> values) {
  Figure figure;
  figure.name = std::move(name);
  figure.unit = std::move(unit);
  figure.runs = summarize(values);
  figure.value = figure.runs->median;
  return figure;
}

}  // namespace wnpu::bench
