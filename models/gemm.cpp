#include "models/gemm.h"

#include <algorithm>
#include <array>
#include <cassert>

// Highway compiles this file once a target, through foreach_target.h, which must come first.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "models/simd_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace wnpu::models::HWY_NAMESPACE {

// A tile is rows x panels x 2 vectors of sums in registers: 12 sums beside two of B and one of A
// with 16 registers, 24 with AVX-512's 32.
constexpr std::size_t kSums = HWY_TARGET <= HWY_AVX3 ? 24 : 12;
constexpr std::size_t kMaxRows = kSums / 2;
constexpr std::size_t kMaxPanels = 4;
// How far ahead of the multiplications B is asked for: a step of a few rows is as fast as its
// weights arrive.
constexpr std::size_t kPrefetchElements = 1024;
constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

HWY_INLINE FloatVec load_b(const float* b) { return hn::Load(Float(), b); }
HWY_INLINE FloatVec load_b(const hwy::float16_t* b) {
  return hn::PromoteTo(Float(), hn::Load(hn::Rebind<hwy::float16_t, Float>(), b));
}

// Where a tile's sums go: c = sums + bias, or c += sums + bias.
struct TileOut {
  float* c;
  std::size_t stride;
  const float* bias;  // or nullptr
  bool add;
};

template <std::size_t kRows, std::size_t kPanels>
using Sums = FloatVec[kRows][2 * kPanels];

// sums += column k of a times row k of a panel, its two vectors.
template <std::size_t kRows, std::size_t kPanels>
HWY_INLINE void multiply_add(const float* a, std::size_t stride, const FloatVec (&b)[2],
                             std::size_t panel, Sums<kRows, kPanels>& sums) {
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    const FloatVec x = hn::Set(Float(), a[r * stride]);
    sums[r][2 * panel] = hn::MulAdd(x, b[0], sums[r][2 * panel]);
    sums[r][2 * panel + 1] = hn::MulAdd(x, b[1], sums[r][2 * panel + 1]);
  }
}

template <std::size_t kRows, std::size_t kPanels>
HWY_INLINE void store(const Sums<kRows, kPanels>& sums, const TileOut& out) {
  const Float d;
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < 2 * kPanels; ++v) {
      float* const c = out.c + r * out.stride + v * hn::Lanes(d);
      FloatVec y = sums[r][v];
      if (out.bias != nullptr) y = hn::Add(y, hn::LoadU(d, out.bias + v * hn::Lanes(d)));
      if (out.add) y = hn::Add(y, hn::LoadU(d, c));
      hn::StoreU(y, d, c);
    }
  }
}

// out = the rows of a times the panels of b, all columns of them.
template <std::size_t kRows, std::size_t kPanels, typename B>
HWY_NOINLINE void tile(ConstMatrixView a, const B* b, std::size_t panel_size, const TileOut& out) {
  const std::size_t lanes = hn::Lanes(Float());
  Sums<kRows, kPanels> sums;
#pragma GCC unroll 12
  for (auto& row : sums) {
#pragma GCC unroll 8
    for (FloatVec& sum : row) sum = hn::Zero(Float());
  }
  for (std::size_t k = 0; k < a.cols; ++k) {
#pragma GCC unroll 4
    for (std::size_t panel = 0; panel < kPanels; ++panel) {
      const B* const at = b + panel * panel_size + k * 2 * lanes;
      hwy::Prefetch(at + kPrefetchElements);
      const FloatVec both[2] = {load_b(at), load_b(at + lanes)};
      multiply_add<kRows, kPanels>(a.data + k, a.stride, both, panel, sums);
    }
  }
  store<kRows, kPanels>(sums, out);
}

template <typename B>
using Tile = void (*)(ConstMatrixView, const B*, std::size_t, const TileOut&);

// Fewer rows leave room for more panels: a product of one row has to be as fast as memory.
constexpr std::size_t panels_of(std::size_t rows) {
  return std::clamp<std::size_t>(kSums / (2 * rows), 1, kMaxPanels);
}

template <typename B, std::size_t... kRowsMinus1>
constexpr auto tiles_of(std::index_sequence<kRowsMinus1...>) {
  return std::array<Tile<B>, kMaxRows>{&tile<kRowsMinus1 + 1, panels_of(kRowsMinus1 + 1), B>...};
}
template <typename B, std::size_t... kRowsMinus1>
constexpr auto narrow_tiles_of(std::index_sequence<kRowsMinus1...>) {
  return std::array<Tile<B>, kMaxRows>{&tile<kRowsMinus1 + 1, 1, B>...};
}

// A tile whose columns are not all there, on its way to c.
struct Padded {
  HWY_ALIGN float sums[kSums * kMaxLanes];
  HWY_ALIGN float bias[kMaxPanels * 2 * kMaxLanes];
};

void gelu_row(float* c, std::size_t cols) {
  const Float d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= cols; i += hn::Lanes(d))
    hn::StoreU(gelu(hn::LoadU(d, c + i)), d, c + i);
  if (i == cols) return;
  HWY_ALIGN float rest[kMaxLanes] = {};
  std::copy(c + i, c + cols, rest);
  hn::Store(gelu(hn::Load(d, rest)), d, rest);
  std::copy_n(rest, cols - i, c + i);
}

template <typename B>
class Panels {
 public:
  Panels(const Product& product, MatrixView c) : product_(product), c_(c) {}

  // Panels [first, first + count) for all rows: a panel stays in L1 while the rows pass by.
  void run(std::size_t first, std::size_t count) {
    const std::size_t wide = panels_of(std::min(product_.a.rows, kMaxRows));
    for (std::size_t panel = first; panel < first + count;) {
      const std::size_t n = first + count - panel >= wide ? wide : 1;
      for (std::size_t row = 0; row < product_.a.rows; row += kMaxRows) {
        run_tile(row, std::min(kMaxRows, product_.a.rows - row), panel, n);
      }
      panel += n;
    }
  }

 private:
  void run_tile(std::size_t row, std::size_t rows, std::size_t panel, std::size_t n_panels) {
    static constexpr auto kWide = tiles_of<B>(std::make_index_sequence<kMaxRows>());
    static constexpr auto kNarrow = narrow_tiles_of<B>(std::make_index_sequence<kMaxRows>());
    const std::size_t panel_cols = product_.b.panel_cols();
    const std::size_t first = panel * panel_cols;
    const std::size_t cols = std::min(n_panels * panel_cols, c_.cols - first);
    const MatrixView c = c_.row_range(row, rows).col_range(first, cols);
    const auto a = product_.a.row_range(row, rows);
    const auto* b = reinterpret_cast<const B*>(product_.b.panel(panel));
    const float* bias = product_.bias.empty() ? nullptr : product_.bias.data() + first;
    const bool add = product_.finish == Finish::add;
    const Tile<B> tile = (n_panels > 1 ? kWide : kNarrow)[rows - 1];
    const std::size_t panel_size = product_.b.k() * panel_cols;
    if (cols == n_panels * panel_cols) {
      tile(a, b, panel_size, {c.data, c.stride, bias, add});
    } else {
      pad(c, bias, n_panels * panel_cols);
      tile(a, b, panel_size, {padded_.sums, n_panels * panel_cols, padded_.bias, add});
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(padded_.sums + r * n_panels * panel_cols, cols, c.data + r * c.stride);
    }
    if (product_.finish != Finish::gelu) return;
    for (std::size_t r = 0; r < rows; ++r) gelu_row(c.data + r * c.stride, cols);
  }

  void pad(MatrixView c, const float* bias, std::size_t padded_cols) {
    std::fill(std::begin(padded_.bias), std::end(padded_.bias), 0.0F);
    if (bias != nullptr) std::copy_n(bias, c.cols, padded_.bias);
    for (std::size_t r = 0; r < c.rows; ++r) {
      std::fill_n(padded_.sums + r * padded_cols, padded_cols, 0.0F);
      std::copy_n(c.data + r * c.stride, c.cols, padded_.sums + r * padded_cols);
    }
  }

  const Product& product_;
  MatrixView c_;
  Padded padded_;
};

void gemm_panels(const Product& product, MatrixView c, std::size_t first, std::size_t count) {
  if (product.b.storage() == Storage::fp32) {
    Panels<float>(product, c).run(first, count);
  } else {
    Panels<hwy::float16_t>(product, c).run(first, count);
  }
}

std::size_t panel_cols() { return 2 * hn::Lanes(Float()); }

}  // namespace wnpu::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wnpu::models {
namespace {

HWY_EXPORT(gemm_panels);
HWY_EXPORT(panel_cols);

// A thread's share of a product. Rows: few enough for L2, enough to make a panel's way into L1
// worth it. Panels: few enough that a decoder step's 384 columns give every thread some.
constexpr std::size_t kBlockRows = 48;
constexpr std::size_t kBlockPanels = 4;
constexpr std::size_t kTallBlockPanels = 32;

void check_shapes([[maybe_unused]] const Product& p, [[maybe_unused]] MatrixView c) {
  assert(p.a.cols == p.b.k() && p.a.rows == c.rows && c.cols == p.b.n());
  assert(p.bias.empty() || p.bias.size() == p.b.n());
}

}  // namespace

void gemm(const Product& product, MatrixView c) {
  check_shapes(product, c);
  HWY_DYNAMIC_DISPATCH(gemm_panels)(product, c, 0, product.b.n_panels());
}

void gemm(ThreadPool& pool, const Product& product, MatrixView c) {
  check_shapes(product, c);
  const std::size_t width = c.rows > kBlockRows ? kTallBlockPanels : kBlockPanels;
  const std::size_t across = (product.b.n_panels() + width - 1) / width;
  const std::size_t down = (c.rows + kBlockRows - 1) / kBlockRows;
  pool.parallel_for(down * across, [&](std::size_t i, std::size_t) {
    const std::size_t row = i / across * kBlockRows;
    const std::size_t rows = std::min(kBlockRows, c.rows - row);
    const std::size_t panel = i % across * width;
    const Product part{product.a.row_range(row, rows), product.b, product.bias, product.finish};
    HWY_DYNAMIC_DISPATCH(gemm_panels)
    (part, c.row_range(row, rows), panel, std::min(width, product.b.n_panels() - panel));
  });
}

std::size_t gemm_panel_cols() { return HWY_DYNAMIC_DISPATCH(panel_cols)(); }

}  // namespace wnpu::models
#endif  // HWY_ONCE
