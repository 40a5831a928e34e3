// The calls that are emitted for a model's size, by the names of the command line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npu/design/layer_abi.h"
#include "npu/emit/module_text.h"

namespace wnpu::app {

inline constexpr std::array<std::string_view, 2> kTargetNames{"npu1", "npu4"};
// `gemm` is one product of the model's width; `first-light` all that npu first-light runs; `heads`
// the calls of all parts of a layer whose heads and hidden columns are divided.
inline constexpr std::array<std::string_view, 5> kEmittedPlans{"fused", "batched", "gemm",
                                                               "first-light", "heads"};
inline constexpr std::size_t kUsualParts = 2;

struct CallChoice {
  std::string target{kTargetNames[0]};
  std::string size = "base";
  std::string precision = "bf16";
  std::string plan{kEmittedPlans[0]};
  std::size_t parts = kUsualParts;  // of plan heads: devices
  std::string plan_file;            // layer plan, in the place of precision and plan; empty: none
  std::vector<std::string> computations = {};      // tensor operations beside the plan's calls
  std::optional<std::uint64_t> memory_limit = {};  // of those, on the device
};

// The layer of the model's size.
npu::LayerShape layer_shape(const std::string& size);

std::string choice_text(const CallChoice& choice);  // "npu1, base, bf16, plan fused"

// Throws UsageError where the array cannot run one of them, with what check() says.
std::vector<npu::EmittedCall> emitted_calls(const CallChoice& choice);

}  // namespace wnpu::app
