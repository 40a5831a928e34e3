// Paths of the reference data in tests/data, which data/make_reference.py makes.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "models/base/tensor.h"
#include "tests/nano/nano_codec.h"

namespace wnpu::tests {

inline std::filesystem::path data_file(const std::string& relative) {
  return std::filesystem::path(WNPU_SOURCE_DIR) / "tests/data" / relative;
}

inline nlohmann::json data_json(const std::string& relative) {
  return nlohmann::json::parse(std::ifstream(data_file(relative)));
}

// A .npy file of two dimensions, f4 or f2, as data/make_reference.py writes it.
inline models::Matrix data_matrix(const std::string& relative) {
  std::ifstream file(data_file(relative), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::size_t begin = bytes.find('\n') + 1;  // the header's end
  const std::string header = bytes.substr(0, begin);
  std::smatch shape;
  if (!std::regex_search(header, shape, std::regex(R"(\((\d+), (\d+)\))"))) {
    throw std::runtime_error(relative + ": expected a .npy file of two dimensions");
  }
  models::Matrix matrix(std::stoul(shape[1]), std::stoul(shape[2]));
  const bool is_half = header.find("<f2") != std::string::npos;
  const auto values =
      decode(is_half ? models::DType::f16 : models::DType::f32, bytes.substr(begin));
  if (values.size() != matrix.size()) throw std::runtime_error(relative + ": expected all values");
  std::ranges::copy(values, matrix.flat().begin());
  return matrix;
}

// reference/jfk_stages.py: what is kept of a spectrogram, of the encoder's states and of logits.
inline constexpr std::size_t kEveryFrame = 37;
inline constexpr std::size_t kEveryPosition = 47;
inline constexpr std::size_t kEveryLogit = 32;

inline models::Matrix every_row(models::ConstMatrixView matrix, std::size_t step) {
  models::Matrix kept((matrix.rows + step - 1) / step, matrix.cols);
  for (std::size_t i = 0; i < kept.rows(); ++i) {
    std::ranges::copy(matrix.row(i * step), kept.row(i).begin());
  }
  return kept;
}

inline models::Matrix every_column(models::ConstMatrixView matrix, std::size_t step) {
  models::Matrix kept(matrix.rows, (matrix.cols + step - 1) / step);
  for (std::size_t i = 0; i < kept.rows(); ++i) {
    for (std::size_t j = 0; j < kept.cols(); ++j) kept.row(i)[j] = matrix.row(i)[j * step];
  }
  return kept;
}

}  // namespace wnpu::tests
