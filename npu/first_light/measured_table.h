// A preset whose numbers were measured, as a part of first light's JSON. What could not be measured
// is the published table's and says so.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "npu/control/controller_costs.h"
#include "npu/design/target.h"

namespace wnpu::npu {

// Names, sources and costs that the preset points at live as long as the table, wherever it moves.
struct MeasuredTable {
  MeasuredTable();
  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }

  bool is_simulated = false;
  std::string machine;
  HardwareModel preset;  // named "measured on ..." or "simulated: ..."
  std::unique_ptr<ControllerCosts> costs;
  std::list<std::string> texts;
};

// The published table under the name of `machine`: what is measured is put into it.
MeasuredTable empty_table(const Target& target, const std::string& machine, bool is_simulated);

// A JSON document of first light's. `name` is what messages call it. Throws std::invalid_argument
// with expected and found where it is none, has no table, or a number that no array can have.
MeasuredTable parse_measured_table(const std::string& text, const std::string& name);

}  // namespace wnpu::npu
