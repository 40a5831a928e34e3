// A matrix product on the array, of any size.
#pragma once

#include "npu/tensor/array_calls.h"
#include "npu/tensor/operands.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

// [m, k] x [k, n] -> [m, n]. Sizes have been looked at. Throws TensorError for values that `type`
// cannot take, DeviceError. Fills all of the report that it knows.
Tensor run_product(const ArrayRun& run, const Tensor& a, const Tensor& b, Type type,
                   Report& report);

}  // namespace wnpu::npu::ops
