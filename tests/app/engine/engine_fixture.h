// A small model in a file, options with which it says something, and noise for it to hear.
#pragma once

#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"

namespace wnpu::tests {

struct EngineFixture {
  EngineFixture() {
    static const Ct2Model kModel = to_ctranslate2(make_nano_model(), Ct2Quantization::float16);
    write(kModel, path());
  }

  std::filesystem::path path() const { return folder.path() / "model"; }

  Model model(const std::string& precision = "fp32") const {
    const DeviceOptions device{.requested = "cpu", .cpu_precision = precision};
    return Model(path().string(), {.device = device, .threads = 1});
  }

  // Shortens both recordings to one window, for tests to which a second adds nothing but time.
  void keep_one_window() {
    samples.resize(20 * 16000);
    others.resize(15 * 16000);
  }

  TemporaryFolder folder;
  TranscribeOptions options = single_try(2, 12);
  std::vector<float> samples = random_vector(40 * 16000, 4, 0.3);
  std::vector<float> others = random_vector(35 * 16000, 5, 0.3);
};

}  // namespace wnpu::tests
