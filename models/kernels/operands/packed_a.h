// The left operand A [n_rows, k] of a matrix product: rows of steps, each as many neighbours in k
// as the right operand's steps have (models/kernels/operands/packed_b.h).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "models/base/aligned_memory.h"
#include "models/base/tensor.h"
#include "models/base/thread_pool.h"

namespace wnpu::kernels {

// A view. A value is scale * q + offset, with a scale and an offset per row (nullptr: 1 and 0);
// `bases`, one per row, are added to each of the row's results (nullptr: 0).
struct PackedA {
  const std::byte* data = nullptr;
  std::size_t stride = 0;  // bytes from row to row
  std::size_t n_rows = 0;
  std::size_t n_steps = 0;
  const float* scales = nullptr;
  const float* offsets = nullptr;
  const float* bases = nullptr;

  PackedA() = default;
  // fp32 as it is.
  PackedA(models::ConstMatrixView x)  // NOLINT: converts
      : data(reinterpret_cast<const std::byte*>(x.data)),
        stride(x.stride * sizeof(float)),
        n_rows(x.rows),
        n_steps(x.cols) {}
  PackedA(models::MatrixView x) : PackedA(models::ConstMatrixView(x)) {}  // NOLINT: converts

  // Rows first, first + 1, ...
  PackedA from_row(std::size_t first) const {
    const auto from = [first](const float* values) { return values ? values + first : nullptr; };
    PackedA rest = *this;
    rest.data += first * stride;
    rest.n_rows -= first;
    rest.scales = from(scales);
    rest.offsets = from(offsets);
    rest.bases = from(bases);
    return rest;
  }
};

// Rows that were rounded. Step is a struct of the numbers of one.
template <typename Step>
class Rows {
 public:
  Rows() = default;

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_steps() const { return n_steps_; }
  std::size_t stride() const { return stride_; }  // steps
  const Step* row(std::size_t r) const { return steps_.get() + r * stride_; }
  std::span<const float> scales() const { return scales_; }
  std::span<const float> offsets() const { return offsets_; }

  operator PackedA() const {  // NOLINT: converts
    const auto start = [](const std::vector<float>& of) {
      return of.empty() ? nullptr : of.data();
    };
    PackedA side;
    side.data = reinterpret_cast<const std::byte*>(steps_.get());
    side.stride = stride_ * sizeof(Step);
    side.n_rows = n_rows_;
    side.n_steps = n_steps_;
    side.scales = start(scales_);
    side.offsets = start(offsets_);
    side.bases = start(bases_);
    return side;
  }

 protected:
  static constexpr std::size_t kTerms = std::extent_v<decltype(Step::q)>;

  // Room for this many.
  Rows(std::size_t max_rows, std::size_t max_cols)
      : stride_((max_cols + kTerms - 1) / kTerms),
        steps_(models::allocate_aligned<Step>(max_rows * stride_)),
        scales_(max_rows) {}

  // Sets the size; the padding of each row's last step, beyond `cols`, becomes 0.
  void resize(std::size_t rows, std::size_t cols) {
    assert(rows <= scales_.size() && cols <= stride_ * kTerms);
    n_rows_ = rows;
    n_steps_ = (cols + kTerms - 1) / kTerms;
    if (cols % kTerms == 0) return;
    for (std::size_t r = 0; r < rows; ++r) steps_[r * stride_ + n_steps_ - 1] = {};
  }
  // The numbers of a row.
  auto* numbers(std::size_t r) { return steps_[r * stride_].q; }
  // f(row) for all rows, on all threads.
  template <typename F>
  void for_each_row(models::ThreadPool& pool, const F& f) const {
    constexpr std::size_t kBlockRows = 16;
    pool.parallel_for((n_rows_ + kBlockRows - 1) / kBlockRows, [&](std::size_t i, std::size_t) {
      const std::size_t end = std::min(n_rows_, (i + 1) * kBlockRows);
      for (std::size_t r = i * kBlockRows; r < end; ++r) f(r);
    });
  }

  std::size_t n_rows_ = 0;
  std::size_t n_steps_ = 0;
  std::size_t stride_ = 0;
  models::AlignedArray<Step> steps_;
  std::vector<float> scales_;
  std::vector<float> offsets_;
  std::vector<float> bases_;
};

}  // namespace wnpu::kernels
