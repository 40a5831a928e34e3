// The two small multilingual models of ../shared/golden/nano, which CMake unpacks into the build
// directory: nano80 (51865 tokens) and nano128 (51866), each in the folders ct2, hf and ggml.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace wnpu::tests {

// The folder of one of them; prints why the test is skipped where it is missing.
inline std::optional<std::filesystem::path> nano_golden_dir(const std::string& name) {
  const std::filesystem::path dir = std::filesystem::path(WNPU_NANO_GOLDEN_DIR) / name;
  if (std::filesystem::exists(dir / "ct2/model.bin")) return dir;
  MESSAGE("SKIP: ../shared/golden/nano/" << name << ".tar.xz was not there when CMake ran");
  return std::nullopt;
}

}  // namespace wnpu::tests
