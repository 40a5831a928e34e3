#include "models/weights/weight_blocks.h"

#include <algorithm>
#include <atomic>

#include "models/kernels/vectors/half_floats.h"
#include "models/kernels/vectors/rotation.h"

namespace wnpu::models {
namespace {

constexpr std::size_t kBlockRows = 64;  // whole panels on every machine, and little enough for L2

}  // namespace

WeightBlocks::WeightBlocks(ThreadPool& pool, std::span<const Part> parts, bool rotated)
    : pool_(pool), parts_(parts.begin(), parts.end()), rotated_(rotated) {
  for (const Part& part : parts_) {
    const std::size_t rows = part.tensor->view.shape[0];
    k_ = part.tensor->view.row_size();
    are_fp16_ =
        are_fp16_ && part.tensor->view.dtype == DType::f16 && part.scale == 1.0F && !rotated_;
    for (std::size_t first = 0; first < rows; first += kBlockRows)
      blocks_.push_back({&part, first, n_ + first, std::min(kBlockRows, rows - first)});
    n_ += rows;
  }
  for (std::size_t t = 0; t < pool.n_threads(); ++t)
    values_.push_back(Matrix::uninitialised(kBlockRows, k_));
}

bool WeightBlocks::for_each(const Visit& visit) {
  std::atomic<bool> goes_on = true;
  std::atomic<bool> finite = true;
  pool_.parallel_for(blocks_.size(), [&](std::size_t i, std::size_t thread) {
    if (!goes_on || !finite) return;
    const Block& block = blocks_[i];
    const MatrixView rows = values_[thread].view().row_range(0, block.rows);
    if (!read(block, rows)) {
      finite = false;
    } else if (!visit(block.first, rows, thread)) {
      goes_on = false;
    }
  });
  if (!finite) name_what_is_not_finite();
  return goes_on;
}

void WeightBlocks::release() const {
  for (const Part& part : parts_) models::release(part.tensor->view);
}

// False: not all of them are finite.
bool WeightBlocks::read(const Block& block, MatrixView rows) const {
  const std::span<float> values(rows.data, rows.rows * rows.cols);
  dequantize(row_range(block.part->tensor->view, block.first_of_part, block.rows), values);
  const bool finite = kernels::all_finite(values);
  const float scale = block.part->scale;
  if (scale != 1.0F)
    std::ranges::transform(values, values.begin(), [=](float v) { return scale * v; });
  if (rotated_) kernels::rotate(rows, rows);
  return finite;
}

void WeightBlocks::name_what_is_not_finite() const {
  for (const Part& part : parts_) {
    Matrix values = Matrix::uninitialised(part.tensor->view.shape[0], k_);
    read_finite(*part.tensor, values.flat());
  }
}

}  // namespace wnpu::models
