#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/files/model_file.h"
#include "tests/nano/nano_codec.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

std::vector<float> dequantized(DType dtype, const std::vector<std::size_t>& shape,
                               const std::string& bytes) {
  const TensorView view{
      .dtype = dtype, .shape = shape, .bytes = std::as_bytes(std::span<const char>(bytes))};
  std::vector<float> values(view.size());
  dequantize(view, values);
  return values;
}

}  // namespace

TEST_CASE("dequantize: all 65536 float16 values are exact") {
  std::string bytes;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    bytes += bytes_of(static_cast<std::uint16_t>(bits));
  }
  const auto values = dequantized(DType::f16, {65536}, bytes);
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const bool is_special = bits / 1024 % 32 == 31;
    const auto expected = static_cast<float>(from_f16(static_cast<std::uint16_t>(bits)));
    const bool is_right =
        is_special
            ? (bits % 1024 == 0 ? std::isinf(values[bits]) : std::isnan(values[bits]))
            : std::bit_cast<std::uint32_t>(values[bits]) == std::bit_cast<std::uint32_t>(expected);
    wrong += is_right ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(std::signbit(values[0xfc00]));
  CHECK(values[0x3555] == 0.333251953125F);  // IEEE 754-2008's nearest to one third
}

TEST_CASE("dequantize: bfloat16 is the upper half of float32") {
  std::string bytes;
  for (const int bits : {0x3f80, 0xc040, 0x0001, 0x7f80}) {
    bytes += bytes_of(static_cast<std::uint16_t>(bits));
  }
  const auto values = dequantized(DType::bf16, {4}, bytes);
  CHECK(values[0] == 1.0F);
  CHECK(values[1] == -3.0F);
  CHECK(values[2] == std::ldexp(1.0F, -133));
  CHECK(std::isinf(values[3]));
}

TEST_CASE("dequantize: ggml's blocks agree bit for bit with a plain reading of their layout") {
  struct Kind {
    DType dtype;
    std::size_t bytes;
    std::size_t halves;  // float16 numbers at the start of a block
  };
  std::mt19937 random(3);
  for (const auto& kind :
       {Kind{DType::q4_0, 18, 1}, Kind{DType::q4_1, 20, 2}, Kind{DType::q5_0, 22, 1},
        Kind{DType::q5_1, 24, 2}, Kind{DType::q8_0, 34, 1}}) {
    const std::string name(dtype_name(kind.dtype));
    CAPTURE(name);
    constexpr std::size_t kBlocks = 2000;
    std::string bytes;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      for (std::size_t i = 0; i < kind.bytes; ++i) {
        auto byte = static_cast<unsigned char>(random());
        // The upper byte of a half: exponents below all ones, so that values are finite.
        if (i % 2 == 1 && i < 2 * kind.halves) byte &= 0xbfU;
        bytes += static_cast<char>(byte);
      }
    }
    const auto values = dequantized(kind.dtype, {kBlocks, 32}, bytes);
    const auto expected = decode(kind.dtype, bytes);
    REQUIRE(values.size() == expected.size());
    CHECK(values == expected);
  }
}

TEST_CASE("dequantize: a q4_0 block worked out by hand") {
  // Scale 0.5; byte j holds element j below and element j + 16 above: 0x0f -> 15 and 0.
  std::string bytes = bytes_of(std::uint16_t{0x3800}) + '\x0f' + std::string(15, '\x88');
  const auto values = dequantized(DType::q4_0, {1, 32}, bytes);
  CHECK(values[0] == 3.5F);    // (15 - 8) / 2
  CHECK(values[16] == -4.0F);  // (0 - 8) / 2
  CHECK(values[1] == 0.0F);
  CHECK(values[31] == 0.0F);
}

TEST_CASE("dequantize: int16 is divided by the scale of its row, to the ends of its range") {
  const std::string bytes = bytes_of(std::int16_t{32767}) + bytes_of(std::int16_t{-32768}) +
                            bytes_of(std::int16_t{-1}) + bytes_of(std::int16_t{256});
  const std::vector<float> scales = {0.5F, 1024.0F};
  const TensorView view{.dtype = DType::i16_rows,
                        .shape = {2, 2},
                        .bytes = std::as_bytes(std::span<const char>(bytes)),
                        .row_scales = scales};
  std::vector<float> values(4);
  dequantize(view, values);
  CHECK(values == std::vector<float>{65534.0F, -65536.0F, -1.0F / 1024, 0.25F});
}

TEST_CASE("dequantize: int8 rows are divided by the scale of their row") {
  const std::string bytes = {'\x7f', '\x81', '\x01', '\x02'};
  const std::vector<float> scales = {127.0F, 4.0F};
  const TensorView view{.dtype = DType::i8_rows,
                        .shape = {2, 2, 1},
                        .bytes = std::as_bytes(std::span<const char>(bytes)),
                        .row_scales = scales};
  std::vector<float> values(4);
  dequantize(view, values);
  CHECK(values == std::vector<float>{1.0F, -1.0F, 0.25F, 0.5F});
}
