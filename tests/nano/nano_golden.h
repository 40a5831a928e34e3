// The two small multilingual models of tests/data/nano, as the converters of others wrote them:
// nano80 (51865 tokens) and nano128 (51866), each in the folders ct2, hf and ggml.
#pragma once

#include <filesystem>
#include <string>

namespace wnpu::tests {

// The folder of one of them, where CMake unpacked it.
inline std::filesystem::path nano_golden_dir(const std::string& name) {
  return std::filesystem::path(WNPU_NANO_GOLDEN_DIR) / name;
}

}  // namespace wnpu::tests
