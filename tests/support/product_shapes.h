// The shapes at which kernels of matrix products go wrong: one row, odd rows, columns that end
// within a panel or a vector, one term, terms that end just behind an exact sum (kExactTerms).
#pragma once

#include <cstddef>
#include <vector>

namespace wnpu::tests {

// [m, k] x [k, n]
struct ProductShape {
  std::size_t m;
  std::size_t n;
  std::size_t k;
};

inline const std::vector<ProductShape> kProductShapes = {
    {1, 1, 1},   {1, 16, 3},   {1, 200, 64}, {2, 33, 7},   {3, 100, 65},
    {5, 31, 17}, {6, 64, 384}, {4, 40, 301}, {2, 20, 129}, {7, 129, 100},
    {13, 7, 5},  {48, 96, 33}, {50, 37, 1},  {61, 80, 20}, {100, 530, 64}};

}  // namespace wnpu::tests
