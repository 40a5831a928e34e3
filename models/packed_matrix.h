// The right side B of a matrix product, in the order in which the kernels of gemm.h read it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "models/aligned_memory.h"
#include "models/tensor.h"
#include "models/thread_pool.h"
#include "models/weights.h"

namespace wnpu::models {

// fp16 halves what a decoder step reads, and loses nothing where the values came as fp16.
enum class Storage { fp32, fp16 };

// B [k, n] as panels of panel_cols() columns, each [k][panel_cols()]; the columns beyond n are 0.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Not set yet, but for the columns beyond n. In a part of the block, where there is one.
  PackedMatrix(std::size_t k, std::size_t n, Storage storage = Storage::fp32,
               SharedBlock* block = nullptr);

  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }
  Storage storage() const { return storage_; }
  // Two vectors of the machine: 16 columns with AVX2, 32 with AVX-512.
  std::size_t panel_cols() const { return panel_cols_; }
  std::size_t n_panels() const {
    return panel_cols_ == 0 ? 0 : (n_ + panel_cols_ - 1) / panel_cols_;
  }
  std::size_t panel_bytes() const { return k_ * panel_cols_ * element_bytes(); }
  const std::byte* panel(std::size_t i) const { return data_.get() + i * panel_bytes(); }
  std::size_t size_bytes() const { return n_panels() * panel_bytes(); }

  // Columns first_col, first_col + 1, ... of B become the rows of `b` [any, k].
  void set_columns(std::size_t first_col, ConstMatrixView b);
  // Rows first_row, first_row + 1, ... of B become the rows of `b` [any, n].
  void set_rows(std::size_t first_row, ConstMatrixView b);

 private:
  // The same for columns of one panel.
  void set_panel_columns(std::size_t first_col, ConstMatrixView b);
  // A row's part in one panel.
  void set_panel_row(std::size_t row, std::size_t col, std::span<const float> values);
  template <typename T>
  T* element(std::size_t row, std::size_t col);
  std::size_t element_bytes() const { return storage_ == Storage::fp16 ? 2 : 4; }

  std::size_t k_ = 0;
  std::size_t n_ = 0;
  Storage storage_ = Storage::fp32;
  std::size_t panel_cols_ = 0;
  AlignedArray<std::byte> data_;
};

// A weight matrix [n, k] for y = x W^T, block by block: no fp32 copy of the whole is made, and a
// file's pages are given back once they are read. Where fp16 is wanted, but not every value is one:
// fp32. Throws ModelError for a NaN or infinity, whose tensor it names.
PackedMatrix pack_weights(ThreadPool& pool, const WeightTensor& weight, Storage wanted);
// In memory, its rows one behind the other.
PackedMatrix pack_weights(ThreadPool& pool, ConstMatrixView weight, Storage wanted);

// y = x W^T + b.
struct PackedLinear {
  PackedMatrix weight;      // [in, out]
  std::vector<float> bias;  // [out]; empty: none
};
PackedLinear pack_linear(ThreadPool& pool, const Linear& linear, Storage wanted);

// A layer, times `scale`. A view.
struct ScaledLinear {
  ScaledLinear(const LinearOf<WeightTensor>& linear, float factor = 1.0F)  // NOLINT: converts
      : weight(linear.weight), bias(linear.bias), scale(factor) {}
  ScaledLinear(const Linear& linear, float factor = 1.0F)  // NOLINT: converts
      : weight(tensor_of(linear.weight.view())), bias(linear.bias), scale(factor) {}

  WeightTensor weight;
  std::span<const float> bias;
  float scale;
};
// Several of the same input side by side, one product instead of many.
PackedLinear pack_side_by_side(ThreadPool& pool, std::initializer_list<ScaledLinear> parts,
                               Storage wanted);

}  // namespace wnpu::models
