// The real tiny.en weights, where quickstart.sh or tests/run.sh has put them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <doctest/doctest.h>

namespace wnpu::tests {

// $XDG_CACHE_HOME/whisper-npu/tiny.en, else ~/.cache/whisper-npu/tiny.en, if it is there; prints
// why the test is skipped where it is not.
inline std::optional<std::filesystem::path> tiny_en_dir() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  MESSAGE("SKIP: real weights under a sanitizer take minutes; small models take the same paths");
  return std::nullopt;
#endif
  const char* cache = std::getenv("XDG_CACHE_HOME");  // NOLINT(concurrency-mt-unsafe)
  const char* home = std::getenv("HOME");             // NOLINT(concurrency-mt-unsafe)
  std::filesystem::path dir;
  if (cache != nullptr && *cache != '\0') {
    dir = cache;
  } else if (home != nullptr) {
    dir = std::filesystem::path(home) / ".cache";
  }
  dir = dir / "whisper-npu" / "tiny.en";
  if (std::filesystem::exists(dir / "model.bin")) return dir;
  MESSAGE("SKIP: no tiny.en in the cache; app/quickstart.sh fetches it");
  return std::nullopt;
}

}  // namespace wnpu::tests
