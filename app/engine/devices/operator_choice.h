// The operator that stands in for one of the NPU's own, and where it runs.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "app/engine/whisper_npu.hpp"
#include "encoder/npu/npu_backend.h"
#include "npu/ops/operator.h"

namespace wnpu::app {

// Values of OperatorUse::ran_on.
inline constexpr std::array<std::string_view, 2> kOperatorPlaces{"core", "cpu"};

struct ChosenOperator {
  std::shared_ptr<const npu::Operator> op;
  OperatorUse use;

  bool runs_on_core() const { return use.reason.empty(); }
  // The plan and the CPU's part that follow.
  void apply(encoder::NpuOptions& options) const;
};

// Throws Error(usage) where the text is not gelu=NAME, and where operators are loaded for nothing.
void check_operator(const DeviceOptions& options);

// Loads what the options name; none where they name nothing. A core runs it where the device is
// simulated, the plan has GELU on cores, and it has a tile kernel; else the CPU's reference does,
// and the plan is hybrid. Throws OperatorError, and Error(usage) for a name that no operator has.
std::optional<ChosenOperator> choose_operator(const DeviceOptions& options, bool is_simulated);

}  // namespace wnpu::app
