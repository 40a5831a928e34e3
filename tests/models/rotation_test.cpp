#include "models/kernels/vectors/rotation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include <doctest/doctest.h>

#include "tests/support/product_reference.h"
#include "tests/support/random_matrix.h"

namespace wnpu::tests {
namespace {

// Element [i, j] of the Hadamard matrix of `size`.
float hadamard(std::size_t i, std::size_t j, std::size_t size) {
  const float value = 1.0F / std::sqrt(static_cast<float>(size));
  return std::popcount(i & j) % 2 == 0 ? value : -value;
}

}  // namespace

TEST_CASE("rotation: sizes are powers of two whose groups have whole vectors of 8") {
  const std::pair<std::size_t, std::size_t> known[] = {{0, 1},     {1, 1},     {24, 1},   {16, 2},
                                                       {64, 8},    {384, 16},  {512, 32}, {768, 32},
                                                       {1280, 32}, {1536, 32}, {5120, 32}};
  for (const auto& each : known) {
    CAPTURE(each.first);
    CHECK(kernels::rotation_size(each.first) == each.second);
  }
}

TEST_CASE("rotation: is the product with the Hadamard matrix, the same bits everywhere, in place") {
  for (const std::size_t k : {7U, 16U, 32U, 64U, 384U, 512U, 640U}) {
    CAPTURE(k);
    const models::Matrix x = random_matrix(3, k, 5);
    const std::size_t size = kernels::rotation_size(k);
    const std::size_t stride = k / size;
    models::Matrix first(3, k);
    bool is_first = true;
    on_every_instruction_set([&] {
      models::Matrix y(3, k);
      kernels::rotate(x.view(), y.view());
      for (std::size_t c = 0; c < k; ++c) {
        float expected = 0;
        for (std::size_t j = 0; j < size; ++j)
          expected += x.row(1)[j * stride + c % stride] * hadamard(c / stride, j, size);
        CHECK(y.row(1)[c] == doctest::Approx(expected).epsilon(1e-5));
      }
      if (std::exchange(is_first, false)) models::copy(y.view(), first.view());
      CHECK(std::ranges::equal(first.flat(), y.flat()));
      kernels::rotate(y.view(), y.view());  // H is its own inverse
      for (std::size_t c = 0; c < k; ++c)
        CHECK(y.row(2)[c] == doctest::Approx(x.row(2)[c]).epsilon(1e-5));
    });
  }
}

}  // namespace wnpu::tests
