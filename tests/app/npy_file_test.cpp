// .npy files in and out: every type of number, shapes, and whatever is no such file.
#include "app/commands/npu/npy_file.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "tests/support/random_matrix.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using app::npy_bytes;
using app::parse_npy;

namespace {

std::string with_header(const std::string& header, const std::string& values) {
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size());
  bytes += '\x00';
  return bytes + header + values;
}

template <typename T>
std::string npy_of(const std::string& type, const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return with_header("{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                         std::to_string(values.size()) + ",), }",
                     bytes);
}

std::string npy_refusal(const std::string& bytes) {
  return wnpu::tests::message_of<app::UsageError>([&] { parse_npy(bytes, "x.npy"); });
}

}  // namespace

TEST_CASE("npy file: what is written is read again, whatever its shape and values") {
  for (const std::vector<std::size_t>& shape :
       {std::vector<std::size_t>{}, {1}, {0}, {7}, {3, 4}, {2, 0, 5}, {2, 3, 4, 5}}) {
    std::size_t n_values = 1;
    for (const std::size_t size : shape) n_values *= size;
    Tensor tensor{shape, tests::random_vector(n_values, 5, 1e3)};
    if (!tensor.values.empty()) tensor.values.back() = -INFINITY;
    const std::string bytes = npy_bytes(tensor);
    CHECK((bytes.size() - 4 * tensor.values.size()) % 64 == 0);
    const Tensor again = parse_npy(bytes, "x.npy");
    CHECK(again.shape == shape);
    CHECK(again.values == tensor.values);
  }
}

TEST_CASE("npy file: numbers of every type become float32") {
  CHECK(parse_npy(npy_of<double>("<f8", {1.5, -1e300}), "x").values ==
        std::vector<float>{1.5F, -INFINITY});
  CHECK(parse_npy(npy_of<std::int8_t>("|i1", {-128, 127}), "x").values ==
        std::vector<float>{-128, 127});
  CHECK(parse_npy(npy_of<std::uint8_t>("|u1", {255}), "x").values == std::vector<float>{255});
  CHECK(parse_npy(npy_of<std::int16_t>("<i2", {-32768}), "x").values == std::vector<float>{-32768});
  CHECK(parse_npy(npy_of<std::int64_t>("<i8", {1LL << 40}), "x").values ==
        std::vector<float>{0x1p40F});
  const auto halves = parse_npy(
      npy_of<std::uint16_t>("<f2", {0x3c00, 0xc000, 0x0001, 0x7c00, 0x7bff, 0x7e00}), "x");
  CHECK(halves.values[0] == 1);
  CHECK(halves.values[1] == -2);
  CHECK(halves.values[2] == 0x1p-24F);
  CHECK(std::isinf(halves.values[3]));
  CHECK(halves.values[4] == 65504);
  CHECK(std::isnan(halves.values[5]));
}

TEST_CASE("npy file: what is none is refused with what was expected") {
  CHECK(npy_refusal("").find("expected NumPy's .npy") != std::string::npos);
  CHECK(npy_refusal("RIFF....").find("expected NumPy's .npy") != std::string::npos);
  CHECK(npy_refusal(npy_of<float>(">f4", {1})).find("type: expected one of <f4") !=
        std::string::npos);
  CHECK(npy_refusal(with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "1234"))
            .find("expected C order") != std::string::npos);
  CHECK(
      npy_refusal(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234"))
          .find("values: expected") != std::string::npos);
  CHECK(
      npy_refusal(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }", "1234"))
          .find("shape: expected whole numbers") != std::string::npos);
  CHECK(npy_refusal(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': "
                                "(99999999999,99999999999), }",
                                "1234"))
            .find("values: expected") != std::string::npos);
}

TEST_CASE("npy file: cut short or changed anywhere it is refused or read, and nothing else") {
  const std::string bytes = npy_of<float>("<f4", {1, 2, 3});
  for (std::size_t n = 0; n < bytes.size(); ++n) CHECK(!npy_refusal(bytes.substr(0, n)).empty());
  tests::Random random(6);
  for (int round = 0; round < 2000; ++round) {
    std::string changed = bytes;
    for (int i = 0; i < 3; ++i) {
      const double u = (random.uniform() + 1) / 2;
      const auto at = static_cast<std::size_t>(u * static_cast<double>(changed.size() - 1));
      changed[at] = static_cast<char>(random.uniform() * 128);
    }
    CHECK_NOTHROW(npy_refusal(changed));
  }
}
