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

#include "models/aligned_memory.h"
#include "models/tensor.h"

namespace wnpu::models {

// What a matrix's columns have in common, value by value: [k] each.
struct NibbleBasis {
  std::vector<float> centre;
  std::vector<float> balance;
};

// The right side B [k, n] as panels of two vectors' columns: [octets of k][columns][4], the second
// four of an octet in the upper halves of the bytes of the first.
class NibbleMatrix {
 public:
  // All nibbles 0.
  NibbleMatrix(NibbleBasis basis, std::size_t n);

  std::size_t k() const { return basis_.centre.size(); }
  std::size_t n() const { return n_; }
  std::size_t n_octets() const { return (k() + 7) / 8; }
  std::size_t panel_cols() const { return panel_cols_; }
  std::size_t n_panels() const { return (n_ + panel_cols_ - 1) / panel_cols_; }
  std::size_t panel_bytes() const { return 4 * n_octets() * panel_cols_; }
  const std::uint8_t* panel(std::size_t i) const { return data_.get() + i * panel_bytes(); }
  std::span<const float> scales() const { return scales_; }  // up to the end of the last panel
  const NibbleBasis& basis() const { return basis_; }

  // Columns first_col, first_col + 1, ... become the rows of `b` [any, k]. Threads may set columns
  // of their own.
  void set_columns(std::size_t first_col, ConstMatrixView b);

 private:
  // q: u - 8 of the column, whole octets.
  void put_column(std::size_t col, std::span<const std::int8_t> q);

  NibbleBasis basis_;
  std::size_t n_;
  std::size_t panel_cols_;
  std::vector<float> scales_;
  AlignedArray<std::uint8_t> data_;
};

// Eight neighbours in k of a left row.
struct alignas(8) Octet {
  std::int8_t q[8] = {};
};

// The left side: x / balance = scale * q, |q| at most 127.
class OctetRows {
 public:
  // Room for this many.
  OctetRows(std::size_t max_rows, std::size_t max_cols);

  std::size_t n_rows() const { return n_rows_; }
  std::size_t stride() const { return stride_; }  // octets
  const Octet* row(std::size_t r) const { return octets_.get() + r * stride_; }
  std::span<const float> scales() const { return scales_; }
  // What u - 7.5 and the centre add to a row's products: times a column's scale, and as it is.
  std::span<const float> offsets() const { return offsets_; }
  std::span<const float> bases() const { return bases_; }

  // Becomes x [any, k], for products with matrices of this basis.
  void set(ConstMatrixView x, const NibbleBasis& basis);

 private:
  std::size_t n_rows_ = 0;
  std::size_t stride_;
  AlignedArray<Octet> octets_;
  std::vector<float> scales_;
  std::vector<float> offsets_;
  std::vector<float> bases_;
  std::vector<float> balanced_;  // a row
};

}  // namespace wnpu::models
