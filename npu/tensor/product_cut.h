// How a matrix product is cut into calls: by what one call can be, and by how much memory it may
// take.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "npu/design/layer_design.h"
#include "npu/design/target.h"

namespace wnpu::npu::ops {

struct ProductSizes {
  std::size_t m = 0, k = 0, n = 0;
};

// The most rows, depth and columns of a call, multiples of its tiles; the last call of a direction
// does what is left.
struct ProductCut {
  GemmProblem call;
  ProductSizes sizes;  // of the whole product

  std::size_t m_parts() const;
  std::size_t k_parts() const;
  std::size_t n_parts() const;
};

struct ProductKind {
  bool is_int8 = false;
  bool has_residual = false;  // each call is run again for what bf16 has left over of its sums
};

// Rows and columns are cut first, which changes no bit of the result; the depth only where a call
// cannot be as deep, or memory allows no less: each part's sum is rounded to bf16 then. Throws
// DeviceError where no cut takes as little memory as the limit.
ProductCut cut_product(const Target& target, ProductSizes sizes, ProductKind kind,
                       std::optional<std::size_t> memory_limit, const std::string& work);

// Bytes of a call's arguments.
struct ProductBytes {
  std::size_t a = 0, b = 0, c = 0, x = 0;
  std::size_t all() const { return a + b + c + x; }
};
ProductBytes bytes_of(const GemmProblem& call);

}  // namespace wnpu::npu::ops
