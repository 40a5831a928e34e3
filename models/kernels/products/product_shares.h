// How a product is divided among threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "models/base/thread_pool.h"

namespace wnpu::kernels {

// A thread's share of a product. Rows: few enough for L2, enough to make a panel's way into L1
// worth it. Panels of a short product, a decoder step's: four shares a thread, so that none waits
// long for another, and whole tiles.
constexpr std::size_t kShareRows = 48;
constexpr std::size_t kMostSharePanels = 32;

inline std::size_t share_panels(std::size_t n_rows, std::size_t n_panels, std::size_t n_threads) {
  if (n_rows > kShareRows) return kMostSharePanels;
  const std::size_t tile = n_rows < 5 ? 4 : 2;  // panels of a tile of so few rows
  return std::clamp(n_panels / (4 * n_threads) / tile * tile, tile, kMostSharePanels);
}

struct ProductShare {
  std::size_t first_row, rows, first_panel, panels;
};

// f(share) for shares that make up a product of so many rows and panels.
template <typename F>
void for_each_share(models::ThreadPool& pool, std::size_t n_rows, std::size_t n_panels,
                    const F& f) {
  const std::size_t width = share_panels(n_rows, n_panels, pool.n_threads());
  const std::size_t across = (n_panels + width - 1) / width;
  const std::size_t down = (n_rows + kShareRows - 1) / kShareRows;
  pool.parallel_for(down * across, [&](std::size_t i, std::size_t) {
    const std::size_t row = i / across * kShareRows;
    const std::size_t panel = i % across * width;
    f(ProductShare{row, std::min(kShareRows, n_rows - row), panel,
                   std::min(width, n_panels - panel)});
  });
}

}  // namespace wnpu::kernels
