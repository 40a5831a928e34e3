// jfk.wav and tiny.en, on which openai-whisper's stages are known (tests/data/jfk).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "tests/support/fetched_files.h"
#include "tests/support/reference_data.h"

namespace wnpu::tests {

struct JfkReference {
  std::filesystem::path recording;
  std::unique_ptr<models::ModelFile> file;
};

// Empty if recording or model was not fetched; says why the test is skipped.
inline std::optional<JfkReference> jfk_reference() {
  const auto recording = jfk_wav();
  const auto tiny_en = tiny_en_dir();
  if (!recording || !tiny_en) return std::nullopt;
  return JfkReference{*recording, models::open_model(*tiny_en)};
}

}  // namespace wnpu::tests
