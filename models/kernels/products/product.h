// A matrix product and what becomes of it.
#pragma once

#include <span>

#include "models/kernels/operands/packed_a.h"
#include "models/kernels/operands/packed_b.h"

namespace wnpu::kernels {

// Final step for each element: y = a b + bias, y = gelu(a b + bias), y += a b + bias.
enum class Finish { replace, gelu, add };

// c = finish(a b + bias): a [m, k] in the numbers that b asks for, b [k, n], bias [n] or empty,
// c [at most m, n]: of the first rows.
struct Product {
  PackedA a;
  const PackedB& b;
  std::span<const float> bias{};
  Finish finish = Finish::replace;
};

}  // namespace wnpu::kernels
