// Reads weight matrices from the mapped file in blocks of rows, as fp32, for packing.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/weights/weights.h"

namespace wnpu::models {

// Weights [n, k] of the same k one below the other, each times its scale. The tensors must outlive
// it.
class WeightBlocks {
 public:
  struct Part {
    const WeightTensor* tensor;
    float scale = 1.0F;
  };
  // `rotated`: rows are, as fp32 (models/kernels/vectors/rotation.h).
  WeightBlocks(ThreadPool& pool, std::span<const Part> parts, bool rotated = false);

  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }  // rows of all parts
  // Every value is an fp16 number, which is known without a look.
  bool are_fp16() const { return are_fp16_; }

  // f(number of the first row, rows [up to 64, k] in fp32, thread) for all rows, on all threads,
  // until f returns false; false: it did. Throws ModelError for a NaN or infinity, whose tensor it
  // names.
  using Visit = std::function<bool(std::size_t first, ConstMatrixView rows, std::size_t thread)>;
  bool for_each(const Visit& visit);
  // All of them become columns of a kernel's matrix.
  template <typename Matrix>
  void fill(Matrix& matrix) {
    for_each([&](std::size_t first, ConstMatrixView rows, std::size_t /*thread*/) {
      matrix.set_columns(first, rows);
      return true;
    });
  }
  // Gives the pages of a file back.
  void release() const;

 private:
  // Some rows of a part.
  struct Block {
    const Part* part;
    std::size_t first_of_part;
    std::size_t first;
    std::size_t rows;
  };
  bool read(const Block& block, MatrixView rows) const;
  void name_what_is_not_finite() const;

  ThreadPool& pool_;
  std::vector<Part> parts_;
  std::size_t k_ = 0;
  std::size_t n_ = 0;
  bool are_fp16_ = true;
  bool rotated_;
  std::vector<Block> blocks_;
  std::vector<Matrix> values_;  // a thread: [rows of a block, k]
};

}  // namespace wnpu::models
