// Tasks that run at once, on threads of their own where the system gives them.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <vector>

namespace wnpu::models {

// Runs f(0) .. f(n - 1), n >= 1: the first on this thread, each other on its own, or, where none
// can be started, after the first. Returns when all have ended; throws what the first of them that
// failed has thrown.
inline void side_by_side(std::size_t n, const std::function<void(std::size_t)>& f) {
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < n; ++i) {
    others.push_back(std::async(std::launch::async | std::launch::deferred, [&f, i] { f(i); }));
  }
  f(0);
  for (std::future<void>& other : others) other.get();
}

}  // namespace wnpu::models
