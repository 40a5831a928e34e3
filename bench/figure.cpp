#include "bench/figure.h"

namespace wnpu::bench {

std::string name_of(Origin origin) {
  switch (origin) {
    case Origin::kMeasured:
      return "measured";
    case Origin::kModelled:
      return "modelled";
    case Origin::kPublished:
      return "published";
  }
  return {};
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
