// Where the big reference data lie: ../shared beside the source tree (corpus, golden). They are not
// part of the repository; a test that wants them says SKIP, with the reason, where they are absent:
//
//   const auto mel = shared_file("golden/stages/jfk/log_mel.npy");
//   if (!mel) return;
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace wnpu::tests {

inline std::optional<std::filesystem::path> shared_dir() {
  const auto dir = std::filesystem::path(WNPU_SOURCE_DIR) / "../shared";
  if (!std::filesystem::is_directory(dir)) return std::nullopt;
  return std::filesystem::canonical(dir);
}

// The path of a file or folder below ../shared; where it is missing, prints why the test is
// skipped.
inline std::optional<std::filesystem::path> shared_file(const std::string& relative) {
  const auto dir = shared_dir();
  if (dir && std::filesystem::exists(*dir / relative)) return *dir / relative;
  MESSAGE("SKIP: ../shared/" << relative << " is not there");
  return std::nullopt;
}

}  // namespace wnpu::tests
