// A layer's plan as a file, JSON: what it was made for, the tuning and the calls, and the hashes of
// the designs that it stands for. Written by lab/tune.py; read by whatever plans a layer.
//
//   {"document": "whisper-npu layer plan", "schema_version": 1,
//    "target": "npu1", "precision": "bf16",
//    "shape": {"frames": 1500, "width": 512, "heads": 8, "hidden": 2048},
//    "tuning": {"state_tile": 0, ...},                  every field of LayerTuning
//    "calls": [["norm1", "down"]],                      first and last operation of each
//    "overlay": "...", "designs": ["..."],              hashes, 16 hex digits
//    "modelled": {...}}                                 for people; may be missing, is not read
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "npu/design/layer_design.h"

namespace wnpu::npu {

// One way to run a layer: its tuning, and the calls that it is cut into.
struct LayerPlan {
  LayerTuning tuning;
  std::vector<LayerCall> calls = std::vector<LayerCall>(1);  // all operations of a layer, in order

  bool operator==(const LayerPlan&) const = default;
};

inline std::vector<Design> designs_of(const TunedLayer& layer,
                                      const std::vector<LayerCall>& calls) {
  std::vector<Design> designs;
  designs.reserve(calls.size());
  for (const LayerCall& call : calls) designs.push_back(layer_design(layer, call));
  return designs;
}

// Plan name that a run from a plan file reports, beside kPlanNames.
inline constexpr std::string_view kTunedPlanName = "tuned";

struct PlanFile {
  const Target* target = nullptr;
  Precision precision = Precision::bf16;
  LayerShape shape;
  LayerPlan plan;

  TunedLayer layer() const;
};

std::string plan_file_text(const PlanFile& file);

// `name` is what messages call it. Throws std::invalid_argument with expected and found where it is
// no plan, has a field too many or too few, a tuning or calls that no layer can have, or other
// designs than those it was made for.
PlanFile parse_plan_file(const std::string& text, const std::string& name);

// Plan read from a file; throws as parse_plan_file() does, and if the file cannot be read.
PlanFile read_plan_file(const std::filesystem::path& file);

// A design that `npu predict` and `npu check` are asked about: one JSON object with any of the
// fields target, precision, shape, tuning and calls, as a plan file has them.
struct DesignLine {
  std::string id;      // the asker's name for it
  std::string preset;  // whose times; empty: the usual one's
  PlanFile design;
};

// Fields that the line leaves out, or parts of its shape and tuning, are `usual`'s. Throws
// std::invalid_argument as parse_plan_file() does; whether the design fits is not asked.
DesignLine parse_design_line(std::string_view text, const std::string& name, const PlanFile& usual);

// Throws std::invalid_argument where the plan is for another array or layer.
void require_made_for(const PlanFile& file, const Target& target, const LayerShape& shape);

}  // namespace wnpu::npu
