// Writes a nano model as a CTranslate2 directory. The parts stay open to change in between, so
// that tests can write what no converter would.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/nano/nano_model.h"

namespace wnpu::tests {

// Types of matrices and convolutions, and of everything else.
enum class Ct2Quantization { float32, float16, bfloat16, int8, int8_float16 };

struct Ct2Variable {
  std::string name;
  std::vector<std::uint32_t> shape;
  std::uint8_t type = 0;  // 0 f32, 1 i8, 2 i16, 3 i32, 4 f16, 5 bf16
  std::string bytes;
};

struct Ct2Model {
  std::uint32_t version = 6;
  std::string spec = "WhisperSpec";
  std::uint32_t revision = 3;
  std::vector<Ct2Variable> variables;
  std::vector<std::pair<std::string, std::string>> aliases;
  std::string config;         // config.json
  std::string vocabulary;     // vocabulary.json
  std::string trailing = {};  // bytes after the last alias

  Ct2Variable& at(const std::string& name);
};

Ct2Model to_ctranslate2(const NanoModel& model, Ct2Quantization quantization);
void write(const Ct2Model& model, const std::filesystem::path& directory);
// A nano model whose heads have 64 columns, as those of every released model: a layer of it fits
// the array.
struct DeviceModel {
  std::size_t n_heads = 1;
  std::size_t n_layers = 2;
};
void write_device_model(const std::filesystem::path& directory, const DeviceModel& model = {});

// Lists as JSON, e.g. of spelled tokens.
std::string token_list_json(const std::vector<std::string>& token_bytes);

}  // namespace wnpu::tests
