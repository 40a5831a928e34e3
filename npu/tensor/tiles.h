// Matrices in the layouts that cores take and give (kernel/tile_kernels.h), between the tiles of a
// call.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "npu/kernel/bf16.h"

namespace wnpu::npu::ops {

// Element [row, column] of a matrix of `columns` columns that lies in blocks of block_rows x
// block_columns.
struct BlockOrder {
  std::size_t columns = 0;
  std::size_t block_rows = 1;
  std::size_t block_columns = 1;

  std::size_t place(std::size_t row, std::size_t column) const {
    const std::size_t block = row / block_rows * (columns / block_columns) + column / block_columns;
    return (block * block_rows + row % block_rows) * block_columns + column % block_columns;
  }
};

template <typename T>
void put(std::span<std::byte> bytes, std::size_t at, T value) {
  std::memcpy(&bytes[at * sizeof(T)], &value, sizeof(T));
}
template <typename T>
T get(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, &bytes[at * sizeof(T)], sizeof(T));
  return value;
}

// As the array takes it: rounded to nearest even, without denormals.
inline float as_bf16(float value) { return to_float(to_bfloat16(value)); }

constexpr std::size_t div_up(std::size_t value, std::size_t by) { return (value + by - 1) / by; }
constexpr std::size_t round_up(std::size_t value, std::size_t of) { return div_up(value, of) * of; }

}  // namespace wnpu::npu::ops
