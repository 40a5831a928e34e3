// How much of a long test a build with sanitizers runs.
#pragma once

#include <cstddef>

namespace wnpu::tests {

// A test that makes many cases of one kind divides their number by this: a case takes ten times as
// long under sanitizers, and they see the same code in each.
#ifdef WNPU_SANITIZED
inline constexpr std::size_t kSanitizedShare = 4;
#else
inline constexpr std::size_t kSanitizedShare = 1;
#endif

}  // namespace wnpu::tests
