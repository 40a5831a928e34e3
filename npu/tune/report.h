// Report of a search: what it found and why, as text and JSON. All modelled, and said so.
#pragma once

#include <string>
#include <vector>

#include "npu/tune/profile.h"
#include "npu/tune/tuner.h"

namespace wnpu::npu {

// A choice that the plan found makes otherwise than the one by hand.
struct ChangedChoice {
  std::string name;
  std::string by_hand;
  std::string found;
  double without_ms = 0;  // the plan found with this choice by hand; 0 where that cannot run
};

// A time by every predictor, beside the simulator's.
struct Predicted {
  std::string name;
  double simulated_ms = 0;
  double published_ms = 0;           // 0: of no publication
  std::vector<double> predicted_ms;  // as predictors()
};

struct TuneReport {
  std::string layer;  // "base, bf16"
  TuneOptions options;
  TuneResult result;
  PlanProfile by_hand;
  PlanProfile best;
  std::vector<ChangedChoice> changes;
  std::string cache;  // file, or why there is none
  std::size_t n_damaged = 0;
  std::vector<Predicted> predictions;  // if asked for
};

// Profiles both plans and takes back one choice at a time: a few simulations.
TuneReport explain(std::string layer, const TuneOptions& options, const TuneResult& result);

// Adds predictions for both plans, and others' published figures (predict/published.h).
void add_predictions(TuneReport& report);

std::string report_text(const TuneReport& report);
std::string report_json(const TuneReport& report);

}  // namespace wnpu::npu
