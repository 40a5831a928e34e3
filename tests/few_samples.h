// How much of a long test is run with sanitizers, or on an emulated CPU (WNPU_FEW_SAMPLES).
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

namespace wnpu::tests {

// A test that makes many cases of one kind divides their number by this: a case takes ten times as
// long there, and each runs the same code.
#ifdef WNPU_FEW_SAMPLES
inline constexpr std::size_t kSampleShare = 8;
#else
inline constexpr std::size_t kSampleShare = 1;
#endif
inline constexpr bool kFewSamples = kSampleShare > 1;

// First cases of a list, in builds with few samples; else all.
template <typename List>
auto some_of(const List& list) {
  const std::size_t n = (std::size(list) + kSampleShare - 1) / kSampleShare;
  return std::span(list).first(n);
}
template <typename List>
void some_of(const List&& list) = delete;  // it would be gone before the first case

}  // namespace wnpu::tests
