// Files that app/quickstart.sh and tests/run.sh fetch: tiny.en, a speech detector and jfk.wav.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace wnpu::tests {

// The path of a file or folder below $XDG_CACHE_HOME/whisper-npu, else ~/.cache/whisper-npu; where
// it is missing, prints why the test is skipped.
inline std::optional<std::filesystem::path> fetched_file(const std::string& relative) {
  const char* cache = std::getenv("XDG_CACHE_HOME");  // NOLINT(concurrency-mt-unsafe)
  const char* home = std::getenv("HOME");             // NOLINT(concurrency-mt-unsafe)
  std::filesystem::path folder;
  if (cache != nullptr && *cache != '\0') {
    folder = cache;
  } else if (home != nullptr) {
    folder = std::filesystem::path(home) / ".cache";
  }
  auto path = folder / "whisper-npu" / relative;
  if (std::filesystem::exists(path)) return path;
  MESSAGE("SKIP: " << relative << " was not fetched (app/quickstart.sh does)");
  return std::nullopt;
}

inline std::optional<std::filesystem::path> jfk_wav() { return fetched_file("samples/jfk.wav"); }

// A CTranslate2 folder.
inline std::optional<std::filesystem::path> model_dir(const std::string& name) {
#ifdef WNPU_FEW_SAMPLES
  MESSAGE("SKIP: " << name
                   << ": real weights take minutes under a sanitizer or an emulator; small models "
                      "take the same paths");
  return std::nullopt;
#else
  return fetched_file(name);
#endif
}
inline std::optional<std::filesystem::path> tiny_en_dir() { return model_dir("tiny.en"); }
// Multilingual; `whisper-npu models pull base` fetches it.
inline std::optional<std::filesystem::path> base_dir() { return model_dir("base"); }

inline std::optional<std::filesystem::path> silero_weights() {
  return fetched_file("silero_vad/silero_vad_16k.safetensors");
}

}  // namespace wnpu::tests
