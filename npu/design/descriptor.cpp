#include "npu/design/descriptor.h"

#include <algorithm>

namespace wnpu::npu {
namespace {

constexpr std::int64_t kWord = 4;

bool is_whole_words(std::int64_t bytes) { return bytes % kWord == 0; }

// The run and the dimensions, in words; those of one element that continue each other are one.
std::vector<Dimension> joined(const Access& access) {
  std::vector<Dimension> dims = {{static_cast<std::uint32_t>(access.run / kWord), 1}};
  for (const Dimension& dim : access.dims) {
    if (dim.count == 1) continue;
    Dimension& last = dims.back();
    const std::int64_t stride = dim.stride / kWord;
    if (last.count == 1) {
      last = {dim.count, stride};  // a run of one word
    } else if (stride == last.stride * last.count) {
      last.count *= dim.count;
    } else {
      dims.push_back({dim.count, stride});
    }
  }
  return dims;
}

// The largest divisor of `count` that a wrap register holds.
std::uint32_t largest_part(std::uint32_t count, std::uint32_t max_wrap) {
  std::uint32_t part = std::min(count, max_wrap);
  while (count % part != 0) --part;
  return part;
}

std::vector<Dimension> split(const std::vector<Dimension>& dims, std::uint32_t max_wrap) {
  std::vector<Dimension> parts;
  for (Dimension dim : dims) {
    while (dim.count > max_wrap) {
      const std::uint32_t part = largest_part(dim.count, max_wrap);
      if (part == 1) break;  // a prime: no register holds it
      parts.push_back({part, dim.stride});
      dim = {dim.count / part, dim.stride * part};
    }
    parts.push_back(dim);
  }
  return parts;
}

std::string at_most(const std::string& what, std::uint64_t allowed, std::uint64_t found,
                    const std::string& unit) {
  if (found <= allowed) return "";
  return what + ": expected at most " + std::to_string(allowed) + unit + ", found " +
         std::to_string(found) + unit;
}

std::string fault_of(const DescriptorPattern& pattern, const DmaLimits& limits) {
  std::string fault = at_most("length", limits.max_bytes, pattern.words * kWord, " bytes");
  if (fault.empty()) {
    fault = at_most("dimensions", static_cast<std::uint64_t>(limits.dimensions),
                    pattern.dims.size(), " dimensions");
  }
  for (std::size_t i = 0; i < pattern.dims.size() && fault.empty(); ++i) {
    const Dimension& dim = pattern.dims[i];
    fault = at_most("wrap", limits.max_wrap, dim.count, " words or rounds");
    if (!fault.empty()) break;
    if (dim.stride <= 0) {  // registers hold one less, without a sign
      return "stride: expected 4 bytes or more, found " + std::to_string(dim.stride * kWord) +
             " bytes";
    }
    fault = at_most("stride", limits.max_stride, static_cast<std::uint64_t>(dim.stride * kWord),
                    " bytes");
  }
  return fault;
}

}  // namespace

DescriptorFit fit_descriptor(const Access& access, const DmaLimits& limits) {
  bool is_aligned = is_whole_words(static_cast<std::int64_t>(access.offset)) &&
                    is_whole_words(access.run) && is_whole_words(access.step) &&
                    is_whole_words(access.wrap_step);
  for (const Dimension& dim : access.dims) is_aligned = is_aligned && is_whole_words(dim.stride);
  if (!is_aligned) return {{}, "expected offset, run and strides of whole words of 4 bytes"};
  DescriptorFit fit;
  fit.pattern.words = access.bytes() / kWord;
  fit.pattern.dims = joined(access);
  if (fit.pattern.dims.size() == 1 && fit.pattern.dims.front().stride == 1) {
    fit.pattern.dims.clear();  // a length, and no wrap
  } else {
    fit.pattern.dims = split(fit.pattern.dims, limits.max_wrap);
  }
  fit.fault = fault_of(fit.pattern, limits);
  return fit;
}

}  // namespace wnpu::npu
