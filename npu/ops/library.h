// Operators from outside: a shared library with the function of whisper_npu_operator.h. What a
// library says is believed only as far as it was looked at.
#pragma once

#include <memory>
#include <string>

#include "npu/ops/operator.h"

namespace wnpu::npu {

// The operator of a library file. Throws OperatorError that says what is wrong: no such file, no
// library, no entry, another version, a struct of the wrong size, fields that make no sense, a
// reference that writes NaN for ordinary values, elsewhere or not at all.
std::shared_ptr<const Operator> load_operator(const std::string& path);

}  // namespace wnpu::npu
