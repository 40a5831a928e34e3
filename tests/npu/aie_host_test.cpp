// The host's aie_api does what AMD's does, defaults included: rounding floor, saturation none
// (Xilinx/aie_api dc3ab77: aie_types.hpp, aie.hpp 6482 and 7776; xdna-emu vector_srs.rs has the
// same numbers for shift, round, saturate).
#define WNPU_TILE_TARGET host_test
#define WNPU_TILE_BYTES 16
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "npu/kernel/tile_attention.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_rows.h"

using namespace wnpu::npu;
using namespace wnpu::npu::kernel;

namespace {

// Scalar result of shift, round and saturate.
int srs(int value, int shift) {
  aie::accum<acc32, 32> acc;
  acc.from_vector(aie::broadcast<std::int16_t, 32>(0));
  // value as 128 a + b, since a vector of 16 bits is what goes in.
  acc = aie::mac(acc, aie::broadcast<std::int16_t, 32>(static_cast<std::int16_t>(value / 128)),
                 aie::broadcast<std::int16_t, 32>(128));
  acc = aie::mac(acc, aie::broadcast<std::int16_t, 32>(static_cast<std::int16_t>(value % 128)),
                 aie::broadcast<std::int16_t, 32>(1));
  return acc.to_vector<std::int16_t>(shift).get(7);
}

// Sets the control registers for a scope.
struct Modes {
  Modes(aie::rounding_mode rounding, aie::saturation_mode saturation) {
    aie::set_rounding(rounding);
    aie::set_saturation(saturation);
  }
  ~Modes() {
    aie::set_rounding(aie::rounding_mode::floor);
    aie::set_saturation(aie::saturation_mode::none);
  }
  Modes(const Modes&) = delete;
  Modes& operator=(const Modes&) = delete;
};

template <typename T>
concept HasMax = requires(T v) {
  aie::max(v, v);
};
template <typename T>
concept HasLess = requires(T v) {
  aie::lt(v, v);
};

}  // namespace

TEST_CASE("aie host: a thread starts with the modes that hardware has after reset") {
  bool is_default = false;
  std::thread([&] {
    is_default = aie::get_rounding() == aie::rounding_mode::floor &&
                 aie::get_saturation() == aie::saturation_mode::none && srs(-1, 4) == -1 &&
                 srs(40000, 0) == 40000 - 65536;
  }).join();
  CHECK(is_default);
}

TEST_CASE("aie host: shift, round and saturate, for every rounding and saturation mode") {
  for (int value = -2000; value <= 2000; ++value) {
    for (const int shift : {0, 1, 4, 9}) {
      const double exact = std::ldexp(static_cast<double>(value), -shift);
      CHECK(srs(value, shift) == static_cast<int>(std::floor(exact)));
      const Modes modes(aie::rounding_mode::conv_even, aie::saturation_mode::none);
      CHECK(srs(value, shift) == static_cast<int>(std::nearbyint(exact)));
    }
  }
  const Modes wrap(aie::rounding_mode::conv_even, aie::saturation_mode::none);
  CHECK(srs(32768, 0) == -32768);
  CHECK(srs(-32769, 0) == 32767);
  {
    const Modes modes(aie::rounding_mode::conv_even, aie::saturation_mode::saturate);
    CHECK(srs(32768, 0) == 32767);
    CHECK(srs(-32769, 0) == -32768);
    CHECK(srs(65535, 1) == 32767);  // 32767.5 rounds to 32768 first
  }
  const Modes modes(aie::rounding_mode::floor, aie::saturation_mode::symmetric);
  CHECK(srs(-32769, 0) == -32767);
}

TEST_CASE("aie host: floats can be neither compared nor ordered") {
  using Floats = aie::vector<float, 16>;
  using Ints = aie::vector<std::int32_t, 16>;
  CHECK(HasMax<Ints>);
  CHECK(HasLess<Ints>);
  CHECK_FALSE(HasMax<Floats>);
  CHECK_FALSE(HasLess<Floats>);
}

TEST_CASE("aie host: inv and invsqrt are as rough as AMD's, no better") {
  double worst_inv = 0;
  double worst_root = 0;
  for (int i = 0; i < 4096; ++i) {
    const float x = std::ldexp(1.0f + static_cast<float>(i % 128) / 128.0f, i / 128 - 16);
    const auto v = aie::broadcast<float, 16>(x);
    worst_inv =
        std::max(worst_inv,
                 std::abs(static_cast<double>(aie::inv(v).get(0)) * static_cast<double>(x) - 1.0));
    worst_root = std::max(worst_root, std::abs(static_cast<double>(aie::invsqrt(v).get(0)) *
                                                   std::sqrt(static_cast<double>(x)) -
                                               1.0));
  }
  MESSAGE("relative errors: inv " << worst_inv << ", invsqrt " << worst_root);
  CHECK(worst_inv < 4e-7);
  CHECK(worst_root < 7e-4);
  CHECK(worst_root > 1e-4);
}

TEST_CASE("Exp2: all values of 1/512 from -64 to 64, exact at whole powers, beyond them the ends") {
  const Modes modes(aie::rounding_mode::conv_even, aie::saturation_mode::none);
  const Exp2 exp2;
  double worst = 0;
  const auto of = [&](std::int32_t steps) {
    const auto bits = aie::broadcast<std::int32_t, 16>(kFixedZero + steps);
    return to_float(exp2.of(bits, bits).get(5));
  };
  for (std::int32_t steps = -64 * 512; steps < 64 * 512; ++steps) {
    const double exact = std::exp2(static_cast<double>(steps) / 512.0);
    const double found = of(steps);
    const double half_step = std::ldexp(1.0, std::ilogb(found) - 8);
    worst = std::max(worst, (std::abs(found - exact) - half_step) / exact);
    if (steps % 512 == 0) CHECK(found == exact);
  }
  MESSAGE("largest relative error beyond the rounding: " << worst);
  CHECK(worst <= 1.02e-4);  // tile_exp2.h
  CHECK(of(-64 * 512 - 1) == of(-64 * 512));
  CHECK(of(64 * 512) == of(64 * 512 - 1));
  const auto huge = aie::broadcast<std::int32_t, 16>(0x7f800000);  // infinity
  const auto low = aie::broadcast<std::int32_t, 16>(std::bit_cast<std::int32_t>(-1e30f));
  CHECK(to_float(exp2.of(huge, low).get(3)) == of(64 * 512 - 1));
  CHECK(to_float(exp2.of(huge, low).get(20)) == of(-64 * 512));
}

TEST_CASE("aie host: permutations of one instruction") {
  std::int16_t numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = static_cast<std::int16_t>(i);
  const auto v = aie::concat(aie::load_v<32>(numbers), aie::load_v<32>(numbers + 32));
  const auto even = aie::filter_even(v);
  for (unsigned i = 0; i < 32; ++i) CHECK(even.get(i) == static_cast<int>(2 * i));
  const auto [low, high] =
      aie::interleave_zip(aie::load_v<16>(numbers), aie::load_v<16>(numbers + 16), 4);
  const auto both = aie::concat(low, high);
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned chunk = i / 4;
    CHECK(both.get(i) == static_cast<int>((chunk % 2) * 16 + chunk / 2 * 4 + i % 4));
  }
  const auto turned = aie::transpose(aie::load_v<32>(numbers), 4, 8);
  for (unsigned i = 0; i < 32; ++i) CHECK(turned.get(i) == static_cast<int>(i % 4 * 8 + i / 4));
  std::int32_t words[16];
  for (int i = 0; i < 16; ++i) words[i] = i;
  const auto square = aie::transpose(aie::load_v<16>(words), 4, 4);
  for (unsigned i = 0; i < 16; ++i) CHECK(square.get(i) == static_cast<int>(i % 4 * 4 + i / 4));
}
