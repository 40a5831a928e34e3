// finish(x W^T + b) in fp64, and the kernels of every instruction set that this machine can run.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/gemm.h"
#include "models/instruction_set.h"
#include "models/tensor.h"
#include "models/weights.h"

namespace wnpu::tests {

// What becomes of y.
inline std::vector<double> product_reference(models::ConstMatrixView x, const models::Linear& w,
                                             const models::Matrix& y, models::Finish finish) {
  std::vector<double> result;
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < w.weight.rows(); ++c) {
      double sum = static_cast<double>(w.bias[c]);
      for (std::size_t k = 0; k < x.cols; ++k)
        sum += static_cast<double>(x.row(r)[k]) * static_cast<double>(w.weight.row(c)[k]);
      if (finish == models::Finish::gelu) sum = 0.5 * sum * (1.0 + std::erf(sum / std::sqrt(2.0)));
      if (finish == models::Finish::add) sum += static_cast<double>(y.row(r)[c]);
      result.push_back(sum);
    }
  }
  return result;
}

template <typename F>
void on_every_instruction_set(const F& f) {
  for (const std::string& name : models::instruction_sets()) {
    models::use_instruction_set(name);
    CAPTURE(name);
    f();
  }
  models::use_instruction_set(models::instruction_sets().front());
}

}  // namespace wnpu::tests
