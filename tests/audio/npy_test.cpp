#include "tests/support/npy.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

namespace fs = std::filesystem;
using wnpu::tests::load_npy;

namespace {

// A .npy file that is removed again.
struct NpyFile {
  NpyFile(std::string header, const std::string& data) {
    header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    std::ofstream(path, std::ios::binary) << bytes << header << data;
  }
  ~NpyFile() { fs::remove(path); }
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;

  const fs::path path =
      fs::temp_directory_path() / ("wnpu_npy_" + std::to_string(::getpid()) + ".npy");
};

}  // namespace

TEST_CASE("npy: reads f4 with its shape") {
  const NpyFile file("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }",
                     std::string("\x00\x00\x80\x3f\x00\x00\x20\xc0", 8));
  const auto npy = load_npy(file.path);
  CHECK(npy.shape == std::vector<std::size_t>{1, 2});
  CHECK(npy.values == std::vector<float>{1.0F, -2.5F});
}

TEST_CASE("npy: widens f2, subnormals included") {
  const NpyFile file("{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }",
                     std::string("\x00\x3c\x00\xc1\x01\x00\xff\x7b", 8));
  CHECK(load_npy(file.path).values == std::vector<float>{1.0F, -2.5F, 0x1p-24F, 65504.0F});
}

TEST_CASE("npy: refuses other types and short data") {
  const NpyFile doubles("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", "12345678");
  CHECK_THROWS(load_npy(doubles.path));
  const NpyFile short_data("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "1234");
  CHECK_THROWS(load_npy(short_data.path));
}
