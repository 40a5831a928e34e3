// Panels of a product, tile by tile. For files that Highway compiles once a target: included after
// models/kernels/products/gemm_tile-inl.h, as often as there are targets.
#if defined(WNPU_KERNELS_GEMM_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WNPU_KERNELS_GEMM_PANELS_INL_H_
#undef WNPU_KERNELS_GEMM_PANELS_INL_H_
#else
#define WNPU_KERNELS_GEMM_PANELS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

// A tile, and how many rows it is for; with one panel more than kMaxRows of them, where the CPU has
// other registers for that: a tall one.
template <typename F>
struct RowsAndTile {
  std::size_t rows;
  F tile;
};
template <typename F>
using TallTiles = std::span<const RowsAndTile<F>>;  // the tallest first, at most kMostRows

constexpr std::size_t kMostRows = 32;
static_assert(kMostRows * 2 >= kSums);

// For some of the rows that are left.
template <typename F>
HWY_INLINE RowsAndTile<F> tile_for(std::size_t rows_left, TallTiles<F> tall,
                                   const std::array<F, kMaxRows>& tiles) {
  for (const RowsAndTile<F>& some : tall) {
    if (some.rows <= rows_left) return some;
  }
  const std::size_t rows = std::min(kMaxRows, rows_left);
  return {rows, tiles[rows - 1]};
}

// A tile whose columns are not all there, on its way to c.
struct Padded {
  HWY_ALIGN float sums[kMostRows * 2 * kMaxLanes];
  HWY_ALIGN float bias[kMaxPanels * 2 * kMaxLanes];
  HWY_ALIGN float scales[kMaxPanels * 2 * kMaxLanes];
};

// Fewer columns than a vector has. Apart from the whole vectors: the array costs a check of the
// stack.
template <typename Terms>
HWY_NOINLINE void gelu_rest(float* c, std::size_t cols) {
  const Float d;
  HWY_ALIGN float rest[kMaxLanes] = {};
  std::copy_n(c, cols, rest);
  hn::Store(Terms::gelu(hn::Load(d, rest)), d, rest);
  std::copy_n(rest, cols, c);
}

template <typename Terms>
void gelu(MatrixView c) {
  const Float d;
  for (std::size_t r = 0; r < c.rows; ++r) {
    float* const row = c.data + r * c.stride;
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= c.cols; i += hn::Lanes(d))
      hn::StoreU(Terms::gelu(hn::LoadU(d, row + i)), d, row + i);
    if (i < c.cols) gelu_rest<Terms>(row + i, c.cols - i);
  }
}

// A product, whatever its terms are.
template <typename Terms>
struct Operands {
  LeftRows<typename Terms::Left> a;
  const typename Terms::Right* b;  // first panel
  std::size_t panel_size;          // elements
  const float* col_scales;         // or nullptr
  const float* bias;               // or nullptr
  Finish finish;
  const float* col_sums = nullptr;  // where rows have offsets
  TallTiles<Tile<Terms>> tall = {};
};

HWY_INLINE const float* from(const float* values, std::size_t i) {
  return values == nullptr ? nullptr : values + i;
}

template <typename Terms>
class Panels {
 public:
  Panels(const Operands<Terms>& operands, MatrixView c) : operands_(operands), c_(c) {}

  // Panels [first, first + count) for all rows: a panel stays in L1 while the rows pass by.
  void run(std::size_t first, std::size_t count) {
    static constexpr auto kWide = tiles_of<Terms>(std::make_index_sequence<kMaxRows>());
    static constexpr auto kNarrow = narrow_tiles_of<Terms>(std::make_index_sequence<kMaxRows>());
    const std::size_t wide = panels_of(std::min(c_.rows, kMaxRows));
    for (std::size_t panel = first; panel < first + count;) {
      const std::size_t n = first + count - panel >= wide ? wide : 1;
      for (std::size_t row = 0; row < c_.rows;) {
        const auto tile = tile_for(c_.rows - row, operands_.tall, n > 1 ? kWide : kNarrow);
        run_tile(tile, row, panel, n);
        row += tile.rows;
      }
      panel += n;
    }
  }

 private:
  HWY_INLINE void run_tile(const RowsAndTile<Tile<Terms>>& tile, std::size_t row, std::size_t panel,
                           std::size_t n_panels) {
    const std::size_t rows = tile.rows;
    const std::size_t panel_cols = 2 * hn::Lanes(Float());
    const std::size_t first = panel * panel_cols;
    const std::size_t cols = std::min(n_panels * panel_cols, c_.cols - first);
    const MatrixView c{c_.data + row * c_.stride + first, rows, cols, c_.stride};
    const auto& all = operands_.a;
    const LeftRows<typename Terms::Left> a{
        all.data + row * all.stride, all.stride,          all.n_steps, from(all.scales, row),
        from(all.offsets, row),      from(all.bases, row)};
    const auto* b = operands_.b + panel * operands_.panel_size;
    TileOut out{c.data,
                c.stride,
                from(operands_.col_scales, first),
                from(operands_.bias, first),
                operands_.finish == Finish::add,
                from(operands_.col_sums, first)};
    if (cols == n_panels * panel_cols) {
      tile.tile(a, b, operands_.panel_size, out);
    } else {
      tile.tile(a, b, operands_.panel_size, padded(c, out, n_panels * panel_cols));
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(padded_.sums + r * n_panels * panel_cols, cols, c.data + r * c.stride);
    }
    if (operands_.finish == Finish::gelu) gelu<Terms>(c);
  }

  // Tile output redirected to a copy with room for whole panels.
  TileOut padded(MatrixView c, const TileOut& out, std::size_t padded_cols) {
    const auto copy = [&](const float* from, float* to) {
      std::fill_n(to, padded_cols, 0.0F);
      if (from != nullptr) std::copy_n(from, c.cols, to);
    };
    copy(out.bias, padded_.bias);
    copy(out.scales, padded_.scales);
    for (std::size_t r = 0; r < c.rows; ++r)
      copy(c.data + r * c.stride, padded_.sums + r * padded_cols);
    return {padded_.sums, padded_cols, out.scales == nullptr ? nullptr : padded_.scales,
            padded_.bias, out.add,     out.sums};
  }

  const Operands<Terms>& operands_;
  MatrixView c_;
  Padded padded_;
};

// c = finish(a b + bias) for a share of c's rows and of b's panels.
template <typename Terms>
void multiply(const Product& p, MatrixView c, const ProductShare& share,
              TallTiles<Tile<Terms>> tall = {}) {
  using Left = typename Terms::Left;
  using Right = typename Terms::Right;
  const auto start = [](std::span<const float> v) { return v.empty() ? nullptr : v.data(); };
  const PackedA a = p.a.from_row(share.first_row);
  const Operands<Terms> operands{{reinterpret_cast<const Left*>(a.data), a.stride / sizeof(Left),
                                  a.n_steps, a.scales, a.offsets, a.bases},
                                 reinterpret_cast<const Right*>(p.b.panel(0)),
                                 p.b.panel_bytes() / sizeof(Right),
                                 start(p.b.scales()),
                                 start(p.bias),
                                 p.finish,
                                 start(p.b.sums()),
                                 tall};
  Panels<Terms>(operands, c.row_range(share.first_row, share.rows))
      .run(share.first_panel, share.panels);
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
