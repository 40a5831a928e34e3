// A larger proof than tests/data allows: ../shared beside the source tree has recordings that are
// not the project's to pass on (corpus), and openai-whisper's transcripts of them (golden). A test
// that wants them says SKIP, with the reason, where they are absent:
//
//   const auto corpus = shared_file("corpus");
//   if (!corpus) return;
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace wnpu::tests {

inline std::optional<std::filesystem::path> shared_file(const std::string& relative) {
  auto path = std::filesystem::path(WNPU_SOURCE_DIR) / "../shared" / relative;
  if (std::filesystem::exists(path)) return std::filesystem::canonical(path);
  MESSAGE("SKIP: ../shared/" << relative
                             << " is not there: recordings that are not the project's to pass on");
  return std::nullopt;
}

}  // namespace wnpu::tests
