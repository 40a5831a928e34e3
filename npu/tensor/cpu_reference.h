// CPU fallback for operations that no core has a phase for: the reference of the registry's
// operator, on whole tensors.
#pragma once

#include <string>
#include <vector>

#include "npu/ops/operator.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

// Fills values of `to` by the operator's first result; says in the report that the CPU did it, why,
// and how exact it is.
void run_reference(const std::string& name, const Sizes& sizes,
                   const std::vector<const float*>& inputs, Tensor& to, TensorReport& report);

// The registry's, of its first result.
ErrorBound registered_bound(const std::string& name, const Sizes& sizes);

}  // namespace wnpu::npu::ops
