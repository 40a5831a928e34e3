// finish(x W^T + b) in fp64, products of every shape against it, and the kernels of every
// instruction set that this machine can run.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/pack_weights.h"
#include "tests/support/difference.h"
#include "tests/support/product_shapes.h"
#include "tests/support/random_matrix.h"

namespace wnpu::tests {

// In fp64. Through plain pointers: the tests are compiled without an optimiser, and checked spans
// took most of the time of their runs under sanitizers.
inline double dot(const float* x, const float* y, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}

// Expected y after the product, in double.
inline std::vector<double> product_reference(models::ConstMatrixView x,
                                             const models::LinearWeights& w,
                                             const models::Matrix& y, kernels::Finish finish) {
  std::vector<double> result;
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < w.weight.rows(); ++c) {
      double sum = dot(x.row(r).data(), w.weight.row(c).data(), x.cols);
      if (!w.bias.empty()) sum += static_cast<double>(w.bias[c]);
      if (finish == kernels::Finish::gelu) sum = 0.5 * sum * (1.0 + std::erf(sum / std::sqrt(2.0)));
      if (finish == kernels::Finish::add) sum += static_cast<double>(y.row(r)[c]);
      result.push_back(sum);
    }
  }
  return result;
}

inline models::LinearWeights random_linear(std::size_t n, std::size_t k, std::uint64_t seed) {
  return {random_matrix(n, k, seed), random_vector(n, seed + 1)};
}

// Variants that a kernel supports.
struct ProductKinds {
  std::vector<bool> with_bias = {false, true};
  std::vector<kernels::Finish> finishes = {kernels::Finish::replace, kernels::Finish::gelu,
                                           kernels::Finish::add};
};

// y = finish(x W^T + b) for every shape: multiply(x, weights, finish, y), with this NMSE at most.
template <typename F>
void check_all_shapes(double max_nmse, const F& multiply, const ProductKinds& kinds = {}) {
  for (const auto& shape : kProductShapes) {
    const std::size_t m = shape.m;
    const std::size_t n = shape.n;
    const std::size_t k = shape.k;
    const models::Matrix x = random_matrix(m, k, 1);
    models::LinearWeights w = random_linear(n, k, 2);
    for (const bool with_bias : kinds.with_bias) {
      w.bias = with_bias ? random_vector(n, 3) : std::vector<float>();
      for (const kernels::Finish finish : kinds.finishes) {
        models::Matrix y = random_matrix(m, n, 4);
        const auto expected = product_reference(x.view(), w, y, finish);
        multiply(x.view(), w, finish, y.view());
        CHECK_MESSAGE(nmse(y.flat(), expected) < max_nmse, m, " x ", n, " x ", k);
      }
    }
  }
}

// Checks all shapes with the weights packed by pack_linear.
inline void check_linear(kernels::DataType number, double max_nmse) {
  models::ThreadPool pool(2);
  check_all_shapes(max_nmse, [&](models::ConstMatrixView x, const models::LinearWeights& w,
                                 kernels::Finish finish, models::MatrixView y) {
    const kernels::Linear packed = models::pack_linear(pool, number, {w});
    REQUIRE(packed.weight.number() == number);
    kernels::Linear::Scratch scratch(number, x.rows, x.cols);
    packed.apply(x, finish, y, scratch);
  });
}

template <typename F>
void on_every_instruction_set(const F& f) {
  for (const kernels::InstructionSet set : kernels::instruction_sets()) {
    kernels::use_instruction_set(set);
    CAPTURE(kernels::instruction_set_name(set));
    f();
  }
  kernels::use_instruction_set(kernels::instruction_sets().front());
}

}  // namespace wnpu::tests
