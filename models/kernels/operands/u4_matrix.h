// A right side of 4 bits a value, for a product that waits for memory and may be coarse: logits
// that only say which tokens are to be looked at again. An element is
//   centre[i] + (u - 7.5) * scale / balance[i], u from 0 to 15,
// i its place in a column, scale the column's own. What columns have in common is so left out of
// the 4 bits: 84 % of what the rows of tiny.en's token embedding are is their mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/kernels/operands/packed_a.h"
#include "models/kernels/operands/packed_b.h"

namespace wnpu::kernels {

// Centre and balance that all columns of a matrix share, a value for each of the k rows: [k] each.
struct U4Basis {
  std::vector<float> centre;
  std::vector<float> balance;
};

// In a step of a column, the second four are in the upper halves of the bytes of the first.
class U4Matrix : public PackedB {
 public:
  U4Matrix(U4Basis basis, std::size_t n);
  // One that was packed before, of the same basis.
  U4Matrix(U4Basis basis, PackedB packed);

  const U4Basis& basis() const { return basis_; }

  // Columns first_col, first_col + 1, ... become the rows of `b` [any, k]. Threads may set columns
  // of their own.
  void set_columns(std::size_t first_col, ConstMatrixView b);

 private:
  // q: u - 8 of the column, whole octets.
  void put_column(std::size_t col, std::span<const std::int8_t> q);

  U4Basis basis_;
};

struct alignas(8) I8Octet {
  std::int8_t q[8] = {};
};

// The left side: x / balance = scale * q, |q| at most 127. What u - 7.5 and the centre add to a
// row's products are its offset, times a column's scale, and its base.
class U4Rows : public Rows<I8Octet> {
 public:
  // Room for this many.
  U4Rows(std::size_t max_rows, std::size_t max_cols);

  // Becomes x [any, k], for products with matrices of this basis.
  void set(ConstMatrixView x, const U4Basis& basis);

 private:
  std::vector<float> balanced_;  // a row
};

}  // namespace wnpu::kernels
