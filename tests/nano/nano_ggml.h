// Writes a nano model as whisper.cpp's ggml file. The parts stay open to change in between.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/nano/nano_model.h"

namespace wnpu::tests {

struct GgmlTensor {
  std::string name;
  std::int32_t type = 0;              // 0 f32, 1 f16, 2 q4_0, 3 q4_1, 6 q5_0, 7 q5_1, 8 q8_0
  std::vector<std::int32_t> extents;  // innermost first
  std::string bytes;
};

struct GgmlModel {
  std::string magic = "lmgg";
  std::vector<std::int32_t> header;  // the ten dims in the file's order, then ftype
  std::int32_t filter_rows = 80;
  std::int32_t filter_bins = 201;
  std::vector<std::string> tokens;
  std::vector<GgmlTensor> tensors;

  GgmlTensor& at(const std::string& name);
};

// `dtype` is that of the matrices; as in whisper.cpp, 1-d tensors and positions are f32 and
// convolutions at least f16.
GgmlModel to_ggml(const NanoModel& model, models::DType dtype);
void write(const GgmlModel& model, const std::filesystem::path& path);

}  // namespace wnpu::tests
