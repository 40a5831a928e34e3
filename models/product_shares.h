// How a product is divided among threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "models/thread_pool.h"

namespace wnpu::models {

// A thread's share of a product. Rows: few enough for L2, enough to make a panel's way into L1
// worth it. Panels: few enough that a decoder step's 384 columns give every thread some.
constexpr std::size_t kShareRows = 48;
constexpr std::size_t kSharePanels = 4;
constexpr std::size_t kTallSharePanels = 32;

struct ProductShare {
  std::size_t first_row, rows, first_panel, panels;
};

// f(share) for shares that make up a product of so many rows and panels.
template <typename F>
void for_each_share(ThreadPool& pool, std::size_t n_rows, std::size_t n_panels, const F& f) {
  const std::size_t width = n_rows > kShareRows ? kTallSharePanels : kSharePanels;
  const std::size_t across = (n_panels + width - 1) / width;
  const std::size_t down = (n_rows + kShareRows - 1) / kShareRows;
  pool.parallel_for(down * across, [&](std::size_t i, std::size_t) {
    const std::size_t row = i / across * kShareRows;
    const std::size_t panel = i % across * width;
    f(ProductShare{row, std::min(kShareRows, n_rows - row), panel,
                   std::min(width, n_panels - panel)});
  });
}

}  // namespace wnpu::models
