// A first call of an operator's references: what would otherwise be found in the middle of a run.
#pragma once

#include "npu/ops/operator.h"

namespace wnpu::npu {

// The smallest tile, ordinary values. Throws OperatorError where `exact` or `reference` writes a
// NaN or an infinity, leaves an element as it was, or writes beyond a result.
void probe_reference(const Operator& op);

}  // namespace wnpu::npu
