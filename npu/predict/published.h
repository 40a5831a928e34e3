// Published measurements of others that the predictors were not fitted to. A kernel's rate that was
// taken from the same publication is an input there; what is predicted is the rest.
#pragma once

#include <string_view>
#include <vector>

#include "npu/predict/predictor.h"

namespace wnpu::npu {

struct PublishedFigure {
  std::string_view name;
  std::string_view source;
  double published_ms = 0;
  double simulated_ms = 0;
  std::vector<double> predicted_ms;  // as predictors()
};

// Simulates: some seconds.
std::vector<PublishedFigure> published_figures();

}  // namespace wnpu::npu
