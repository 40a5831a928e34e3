// An access pattern as the registers of a DMA descriptor hold it: words, a wrap and a step for each
// dimension, within the widths of those registers. What does not fit has no descriptor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "npu/design/design.h"

namespace wnpu::npu {

// Sizes and strides in words of 4 bytes, innermost first. Empty: `words` lie one after the other.
struct DescriptorPattern {
  std::uint64_t words = 0;
  std::vector<Dimension> dims;
};

// The pattern of one element of `access` for a DMA with these limits: dimensions that continue each
// other are joined, and one that is too long for its wrap register is split into two. `fault` says
// what does not fit, with what is allowed and what was found; it is empty where all fits.
struct DescriptorFit {
  DescriptorPattern pattern;
  std::string fault;
};
DescriptorFit fit_descriptor(const Access& access, const DmaLimits& limits);

}  // namespace wnpu::npu
