// The softmax of a row whose scores come in parts, so that a row need never be held whole: sums of
// exp(score - max so far), which a part with a larger maximum makes smaller.
// Online softmax: Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace wnpu::kernels {

struct RunningSoftmax {
  float max = -std::numeric_limits<float>::infinity();
  float sum = 0;  // of exp(score - max), all parts so far

  // For a part's maximum. Returns the factor that brings what was made of earlier parts to the new
  // maximum; the sum has it already.
  float take_max(float of_part) {
    const float before = max;
    max = std::max(max, of_part);
    const float factor = before == max ? 1.0F : std::exp(before - max);
    sum *= factor;
    return factor;
  }
};

}  // namespace wnpu::kernels
