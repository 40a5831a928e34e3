// The calls that are emitted for a model's size, by the names of the command line.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "npu/emit/module_text.h"

namespace wnpu::app {

inline constexpr std::array<std::string_view, 2> kTargetNames{"npu1", "npu4"};
// `gemm` is one product of the model's width: the smallest call that computes something.
inline constexpr std::array<std::string_view, 3> kEmittedPlans{"fused", "batched", "gemm"};

struct CallChoice {
  std::string target{kTargetNames[0]};
  std::string size = "base";
  std::string precision = "bf16";
  std::string plan{kEmittedPlans[0]};
};

std::string choice_text(const CallChoice& choice);  // "npu1, base, bf16, plan fused"

// Throws UsageError where the array cannot run one of them, with what check() says.
std::vector<npu::EmittedCall> emitted_calls(const CallChoice& choice);

}  // namespace wnpu::app
