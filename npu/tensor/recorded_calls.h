// The calls of an operation on tensors of given sizes, without a device that runs them: what an
// XCLBIN's manifest has to bring so that hardware can do the operation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "npu/design/design.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

struct SizedOperation {
  std::string name;                // "matmul", "softmax", "layer_norm", "gelu", "attention"
  std::vector<std::size_t> sizes;  // operation_sizes() says which
  Type type = Type::bf16;          // of matmul
};

// All that there are.
std::vector<std::string> operation_names();
// Size names of an operation: "M,K,N". Empty: no such operation.
std::string operation_sizes(const std::string& name);

// Each once, in the order of their first use. They depend on the sizes alone, but for softmax,
// whose values are taken as finite. Throws TensorError for sizes that make no sense, DeviceError
// where the limit is too small, and where no core does the operation, with the reason.
std::vector<Design> recorded_calls(const Target& target, const SizedOperation& operation,
                                   std::optional<std::size_t> memory_limit);

}  // namespace wnpu::npu::ops
