// A sample of the rows that a product is given while recordings are transcribed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "models/base/tensor.h"
#include "models/kernels/products/linear.h"

namespace wnpu::models {

// Sample of rows, those with the smallest hashes: the same ones whatever the order in which threads
// bring them, each row with the same chance, equal rows once. Rows with a NaN or infinity are left
// out.
class InputSample final : public kernels::InputWatcher {
 public:
  explicit InputSample(std::size_t most_rows) : most_rows_(most_rows) {}

  void see(ConstMatrixView x) override;
  // [up to most_rows, width], by their hashes.
  Matrix rows() const;

 private:
  std::size_t most_rows_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<float>> rows_;
};

}  // namespace wnpu::models
