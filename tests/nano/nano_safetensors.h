// Writes a nano model as a HuggingFace safetensors directory. The parts stay open to change in
// between.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/nano/nano_model.h"

namespace wnpu::tests {

struct StTensor {
  std::string name;
  std::string dtype;  // "F32", "F16", "BF16"
  std::vector<std::size_t> shape;
  std::string bytes;
};

struct StModel {
  std::vector<StTensor> tensors;
  std::string config;             // config.json
  std::string generation_config;  // generation_config.json; empty: no such file
  std::string vocab;              // vocab.json; empty: no such file

  StTensor& at(const std::string& name);
};

// vocab.json: the number of each token by its spelling.
std::string token_ids_json(const std::vector<std::string>& token_bytes);

StModel to_safetensors(const NanoModel& model, models::DType dtype);

// The bytes of a .safetensors file with these tensors.
std::string safetensors_bytes(std::span<const StTensor> tensors);

// In one file, or in `shards` files with an index.
void write(const StModel& model, const std::filesystem::path& directory, std::size_t shards = 1);

}  // namespace wnpu::tests
