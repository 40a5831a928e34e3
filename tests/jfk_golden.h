// The stages of openai-whisper on jfk.wav with tiny.en (../shared/golden/stages/jfk), and the
// model.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "models/model_file.h"
#include "models/tensor.h"
#include "tests/npy.h"
#include "tests/shared_data.h"
#include "tests/tiny_en.h"

namespace wnpu::tests {

struct JfkGolden {
  std::filesystem::path stages;
  std::unique_ptr<models::ModelFile> file;

  // "enc_stem.npy"
  models::Matrix stage(const std::string& name) const {
    const Npy npy = load_npy(stages / name);
    models::Matrix matrix(npy.shape.at(0), npy.shape.at(1));
    std::ranges::copy(npy.values, matrix.flat().begin());
    return matrix;
  }
};

// None where one of both is missing; says why the test is skipped.
inline std::optional<JfkGolden> jfk_golden() {
  const auto stages = shared_file("golden/stages/jfk");
  const auto tiny_en = tiny_en_dir();
  if (!stages || !tiny_en) return std::nullopt;
  return JfkGolden{*stages, models::open_model(*tiny_en)};
}

}  // namespace wnpu::tests
