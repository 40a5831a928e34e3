// The signal processing behind word timestamps, as in openai/whisper timing.py, torch's treatment
// of NaN and infinity included: whatever the attention is, there are times.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/base/tensor.h"

namespace wnpu::decoder {

// Running median of odd `width` along x, mirrored at both ends; x shorter than half the width plus
// one stays as it is. NaN counts as larger than any number.
void median_filter(std::span<float> x, std::size_t width);

// Heads' raw cross-attention scores [tokens, positions] of the same size -> what it costs to say a
// token at one of the first `n_positions`: minus the heads' mean of their attention, normalised
// over tokens and smoothed. Overwrites `scores`, which are not empty. NaN where all tokens attend
// to a position equally.
models::Matrix attention_cost(std::span<models::Matrix> scores, std::size_t n_positions);

// Dynamic time warping: along the cheapest path from the first to the last cell of `cost` that
// steps down, right or diagonally, the column at which each row is first reached. As many as there
// are rows, never falling; all 0 for a matrix without columns.
std::vector<std::size_t> first_columns(models::ConstMatrixView cost);

}  // namespace wnpu::decoder
