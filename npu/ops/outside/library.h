// Operators from outside: a shared library (whisper_npu_operator.h), or a folder with the source of
// one (folder.h). What a library says is believed only as far as it was looked at.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "npu/ops/operator.h"

namespace wnpu::npu {

// The operator of a library file or of a folder. Throws OperatorError that says what is wrong: no
// such file, no library, no entry, another version, a struct of the wrong size, fields that make no
// sense, a reference that writes NaN, elsewhere or not at all.
std::shared_ptr<const Operator> load_operator(const std::string& path);

// The operator of a shared library; `source` names it in messages and results.
Operator library_operator(const std::filesystem::path& file, const std::string& source);

// Counts what the tile kernel of `file` issues: the library that folder.h makes for it.
void count_by(const std::filesystem::path& file, Operator& op);

}  // namespace wnpu::npu
