// An operator as source in a folder: operator.cpp and what it includes from beside it, compiled by
// the host's C++ compiler into a library of whisper_npu_operator.h. README.md has the format.
#pragma once

#include <filesystem>
#include <string>

namespace wnpu::npu {

struct CompiledOperator {
  std::filesystem::path library;
  std::filesystem::path counting;  // the same source, counting instructions (kernel/op_counts.h)
};

// A function of the counting library: OpCounts of the calling thread.
inline constexpr const char* kOperatorCounts = "whisper_npu_operator_counts";

// Compiles what is not in the cache: its key is a hash of the source as the preprocessor gives it,
// of the compiler's version and of its options. The compiler is CXX, else c++. Throws OperatorError
// with the compiler's own message.
CompiledOperator compile_operator(const std::filesystem::path& folder);

}  // namespace wnpu::npu
