// How much of a long test a build with sanitizers runs.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

namespace wnpu::tests {

// A test that makes many cases of one kind divides their number by this: a case takes ten times as
// long under sanitizers, and they see the same code in each.
#ifdef WNPU_SANITIZED
inline constexpr std::size_t kSanitizedShare = 8;
#else
inline constexpr std::size_t kSanitizedShare = 1;
#endif
inline constexpr bool kIsSanitized = kSanitizedShare > 1;

// Of a list of cases all, or under sanitizers the first of them.
template <typename List>
auto some_of(const List& list) {
  const std::size_t n = (std::size(list) + kSanitizedShare - 1) / kSanitizedShare;
  return std::span(list).first(n);
}
template <typename List>
void some_of(const List&& list) = delete;  // it would be gone before the first case

}  // namespace wnpu::tests
