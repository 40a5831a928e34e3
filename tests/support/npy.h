// Reads NumPy .npy files (format version 1 and 2, C order, little-endian f4 or f2) for golden
// tests. Format: numpy.lib.format in the NumPy reference.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace wnpu::tests {

struct Npy {
  std::vector<std::size_t> shape;
  std::vector<float> values;  // row-major; f2 is widened
};

// IEEE 754 binary16, subnormals, infinities and NaN included.
inline float half_to_float(std::uint16_t half) {
  const float sign = (half & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = (half >> 10) & 0x1F;
  const int mantissa = half & 0x3FF;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

// Text after `key` in the header's Python dictionary, up to one of `stops`.
inline std::string npy_field(const std::string& header, const std::string& key,
                             const std::string& stops) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos)
    throw std::runtime_error("npy header without " + key + ": " + header);
  const std::size_t first = header.find_first_not_of(" ('", at + key.size() + 3);
  return header.substr(first, header.find_first_of(stops, first) - first);
}

inline std::vector<std::size_t> npy_shape(const std::string& header) {
  std::vector<std::size_t> shape;
  std::istringstream numbers(npy_field(header, "shape", ")"));
  for (std::string number; std::getline(numbers, number, ',');) {
    if (number.find_first_not_of(' ') != std::string::npos) shape.push_back(std::stoul(number));
  }
  return shape;
}

inline std::vector<float> npy_values(const std::string& data, const std::string& dtype) {
  static_assert(std::endian::native == std::endian::little);
  if (dtype == "<f4") {
    std::vector<float> values(data.size() / 4);
    if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * 4);
    return values;
  }
  std::vector<float> values(data.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, data.data() + 2 * i, 2);
    values[i] = half_to_float(half);
  }
  return values;
}

// Throws std::runtime_error, with the path, where the file is not what this reader knows.
inline Npy load_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto fail = [&path](const std::string& what) {
    throw std::runtime_error(path.string() + ": " + what);
  };
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0) fail("expected a .npy file");
  const auto byte = [&bytes](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const bool is_version_1 = byte(6) == 1;
  const std::size_t start = is_version_1 ? 10 : 12;
  const std::size_t length =
      byte(8) | byte(9) << 8 | (is_version_1 ? 0 : byte(10) << 16 | byte(11) << 24);
  const std::string header = bytes.substr(start, length);
  const std::string dtype = npy_field(header, "descr", "'");
  if (dtype != "<f4" && dtype != "<f2") fail("expected <f4 or <f2, found " + dtype);
  if (npy_field(header, "fortran_order", ",") != "False") fail("expected C order");
  Npy npy{npy_shape(header), npy_values(bytes.substr(start + length), dtype)};
  std::size_t size = 1;
  for (const std::size_t n : npy.shape) size *= n;
  if (size != npy.values.size()) {
    fail("expected " + std::to_string(size) + " values, found " +
         std::to_string(npy.values.size()));
  }
  return npy;
}

}  // namespace wnpu::tests
