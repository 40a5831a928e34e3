// The two pieces of signal processing behind word timestamps, as in openai/whisper timing.py.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/tensor.h"

namespace wnpu::decoder {

// Running median of odd `width` along x, mirrored at both ends; x shorter than half the width plus
// one stays as it is.
void median_filter(std::span<float> x, std::size_t width);

// One step of a path through a matrix.
struct PathPoint {
  std::size_t row = 0;
  std::size_t column = 0;
};

// Dynamic time warping: the cheapest path from the first to the last cell of `cost` that steps
// down, right or diagonally, in order.
std::vector<PathPoint> warp(models::ConstMatrixView cost);

}  // namespace wnpu::decoder
