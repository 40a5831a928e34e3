// The tiles of products: a few rows of a times a few panels of b, sums in registers. For files that
// Highway compiles once a target: included after models/kernels/vectors/simd_math-inl.h, as often
// as there are targets.
#if defined(WNPU_KERNELS_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WNPU_KERNELS_GEMM_TILE_INL_H_
#undef WNPU_KERNELS_GEMM_TILE_INL_H_
#else
#define WNPU_KERNELS_GEMM_TILE_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

using Int = hn::ScalableTag<std::int32_t>;
using IntVec = hn::Vec<Int>;

// A tile is rows x panels x 2 vectors of sums in registers: 12 sums beside two of B and one of A
// with 16 registers, 24 with AVX-512's or NEON's 32.
constexpr std::size_t kSums = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON ? 24 : 12;
constexpr std::size_t kMaxRows = kSums / 2;
constexpr std::size_t kMaxPanels = 4;
// How far ahead of the multiplications B is asked for: a step of a few rows is as fast as its
// weights arrive.
template <typename Terms>
constexpr std::size_t kPrefetchBytes = 4096;
constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);

// Rows of the left side; a step is what one broadcast holds.
template <typename Step>
struct LeftRows {
  const Step* data;
  std::size_t stride;
  std::size_t n_steps;
  const float* scales;           // of the rows; nullptr: 1
  const float* offsets;          // of the rows, or nullptr: a = scale * step + offset
  const float* bases = nullptr;  // of the rows, or nullptr: what all its sums have besides
};

// Output of a tile: c = sums * scales + bias, or c += sums * scales + bias.
struct TileOut {
  float* c;
  std::size_t stride;
  const float* scales;  // of the columns; nullptr: 1
  const float* bias;    // or nullptr
  bool add;
  const float* sums;  // of the columns of b, where rows have offsets
};

// Scale, offset, sum and bias that turn an integer sum into a float: by row and by column.
struct OfRow {
  FloatVec scale, offset, base;
};
struct OfColumns {
  FloatVec scale, sum, bias;
};

// fp32 times fp32 or fp16: one chain of fused multiply-adds over k.
template <typename B>
struct FloatTerms {
  using Left = float;
  using Right = B;
  static constexpr std::size_t kRightPerStep = 1;  // elements a column
  static constexpr std::size_t kStepsPerSum = SIZE_MAX;
  using Vec = FloatVec;
  using Sum = FloatVec;

  static HWY_INLINE Vec load(const float* b) { return hn::Load(Float(), b); }
  static HWY_INLINE Vec load(const hwy::float16_t* b) {
    return hn::PromoteTo(Float(), hn::Load(hn::Rebind<hwy::float16_t, Float>(), b));
  }
  static HWY_INLINE Vec broadcast(float a) { return hn::Set(Float(), a); }
  static HWY_INLINE Sum zero() { return hn::Zero(Float()); }
  static HWY_INLINE void add(Vec a, Vec b, Sum& sum) { sum = hn::MulAdd(a, b, sum); }
  static HWY_INLINE FloatVec to_float(Sum sum) { return sum; }
  static HWY_INLINE FloatVec finish(FloatVec total, const OfRow& /*row*/,
                                    const OfColumns& columns) {
    return hn::Add(total, columns.bias);
  }
  static HWY_INLINE FloatVec gelu(FloatVec y) { return HWY_NAMESPACE::gelu(y); }
};

#if HWY_TARGET == HWY_SCALAR
// A lane of Int has no two lanes of int16 there.
using PairVec = I16Pair;

template <typename T>
HWY_INLINE PairVec load_pairs(const T* b) {
  return {{b[0], b[1]}};
}
HWY_INLINE PairVec broadcast_pair(I16Pair a) { return a; }
HWY_INLINE void add_products(PairVec a, PairVec b, IntVec& sum) {
  sum = hn::Add(sum, hn::Set(Int(), a.q[0] * b.q[0] + a.q[1] * b.q[1]));
}
#else
using Pairs = hn::ScalableTag<std::int16_t>;  // two neighbours of k a lane of Int
using PairVec = hn::Vec<Pairs>;

HWY_INLINE PairVec load_pairs(const std::int16_t* b) { return hn::Load(Pairs(), b); }
HWY_INLINE PairVec load_pairs(const std::int8_t* b) {
  return hn::PromoteTo(Pairs(), hn::Load(hn::Rebind<std::int8_t, Pairs>(), b));
}
HWY_INLINE PairVec broadcast_pair(I16Pair a) {
  return hn::BitCast(Pairs(), hn::Set(Int(), std::bit_cast<std::int32_t>(a)));
}
// In this order: GCC 12 moves the products of several rows before their sums otherwise, for which
// there are no registers (40 % of the speed).
HWY_INLINE void add_products(PairVec a, PairVec b, IntVec& sum) {
#if HWY_ARCH_ARM_A64
  // Highway's adds up other products than those of neighbours.
  const int32x4_t low = vmull_s16(vget_low_s16(a.raw), vget_low_s16(b.raw));
  sum.raw = vaddq_s32(sum.raw, vpaddq_s32(low, vmull_high_s16(a.raw, b.raw)));
#elif defined(__clang__)  // of the sanitizers' build: it takes no reference for an operand of asm
  IntVec unused = hn::Zero(Int());
  sum = hn::ReorderWidenMulAccumulate(Int(), a, b, sum, unused);
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  IntVec unused = hn::Zero(Int());
  const IntVec products = hn::ReorderWidenMulAccumulate(Int(), a, b, hn::Zero(Int()), unused);
  asm volatile("vpaddd %1, %0, %0" : "+v"(sum.raw) : "v"(products.raw));
#else
  IntVec unused = hn::Zero(Int());
  sum = hn::ReorderWidenMulAccumulate(Int(), a, b, sum, unused);
  asm volatile("" : "+v"(sum.raw));
#endif
}
#endif

// int16 times int16 or int8, two terms at a time into int32, exactly; these sums in fp32.
template <typename B>
struct IntegerTerms {
  using Left = I16Pair;
  using Right = B;
  static constexpr std::size_t kRightPerStep = 2;
  static constexpr std::size_t kStepsPerSum = kExactTerms / 2;
  using Vec = PairVec;
  using Sum = IntVec;

  static HWY_INLINE Vec load(const B* b) { return load_pairs(b); }
  static HWY_INLINE Vec broadcast(I16Pair a) { return broadcast_pair(a); }
  static HWY_INLINE Sum zero() { return hn::Zero(Int()); }
  static HWY_INLINE void add(Vec a, Vec b, Sum& sum) { add_products(a, b, sum); }
  static HWY_INLINE FloatVec to_float(Sum sum) { return hn::ConvertTo(Float(), sum); }
  static HWY_INLINE FloatVec finish(FloatVec total, const OfRow& row, const OfColumns& columns) {
    return hn::MulAdd(hn::Mul(total, row.scale), columns.scale, columns.bias);
  }
  static HWY_INLINE FloatVec gelu(FloatVec y) { return HWY_NAMESPACE::gelu(y); }
};

template <typename Terms, std::size_t kRows, std::size_t kPanels>
using Sums = typename Terms::Sum[kRows][2 * kPanels];
template <std::size_t kRows, std::size_t kPanels>
using Totals = FloatVec[kRows][2 * kPanels];

// sums += step k of the rows of a times that of a panel, its two vectors.
template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void multiply_add(const typename Terms::Left* const (&a)[kRows], std::size_t k,
                             const typename Terms::Vec (&b)[2], std::size_t panel,
                             Sums<Terms, kRows, kPanels>& sums) {
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    const auto x = Terms::broadcast(a[r][k]);
    Terms::add(x, b[0], sums[r][2 * panel]);
    Terms::add(x, b[1], sums[r][2 * panel + 1]);
  }
}

// Loads scales, sums and biases for the vectors of a tile's columns.
template <std::size_t kPanels, typename Out>
HWY_INLINE void load_columns(const Out& out, OfColumns (&columns)[2 * kPanels]) {
  const Float d;
#pragma GCC unroll 8
  for (std::size_t v = 0; v < 2 * kPanels; ++v) {
    const std::size_t col = v * hn::Lanes(d);
    columns[v].scale = out.scales != nullptr ? hn::LoadU(d, out.scales + col) : hn::Set(d, 1.0F);
    columns[v].sum = out.sums != nullptr ? hn::LoadU(d, out.sums + col) : hn::Zero(d);
    columns[v].bias = out.bias != nullptr ? hn::LoadU(d, out.bias + col) : hn::Zero(d);
  }
}

template <typename Left>
HWY_INLINE OfRow load_row(const LeftRows<Left>& a, std::size_t r) {
  const Float d;
  return {hn::Set(d, a.scales != nullptr ? a.scales[r] : 1.0F),
          hn::Set(d, a.offsets != nullptr ? a.offsets[r] : 0.0F),
          hn::Set(d, a.bases != nullptr ? a.bases[r] : 0.0F)};
}

template <typename Terms, bool kAdd, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void store_rows(const Totals<kRows, kPanels>& totals,
                           const LeftRows<typename Terms::Left>& a, const TileOut& out) {
  const Float d;
  OfColumns columns[2 * kPanels];
  load_columns<kPanels>(out, columns);
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    const OfRow row = load_row(a, r);
#pragma GCC unroll 8
    for (std::size_t v = 0; v < 2 * kPanels; ++v) {
      float* const c = out.c + r * out.stride + v * hn::Lanes(d);
      FloatVec y = Terms::finish(totals[r][v], row, columns[v]);
      if constexpr (kAdd) y = hn::Add(y, hn::LoadU(d, c));
      hn::StoreU(y, d, c);
    }
  }
}

// `out` by value: what a store may overwrite would be read again for every vector.
template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void store(const Totals<kRows, kPanels>& totals, const LeftRows<typename Terms::Left>& a,
                      TileOut out) {
  if (out.add) {
    store_rows<Terms, true, kRows, kPanels>(totals, a, out);
  } else {
    store_rows<Terms, false, kRows, kPanels>(totals, a, out);
  }
}

// Operands of a tile: its rows of a, and its panels of b, which lie panel_size apart.
template <typename Terms, std::size_t kRows>
struct TileIn {
  const typename Terms::Left* rows[kRows];
  const typename Terms::Right* b;
  std::size_t panel_size;
};

// sums += step k.
template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void add_step(const TileIn<Terms, kRows>& in, std::size_t k,
                         Sums<Terms, kRows, kPanels>& sums) {
  const std::size_t vector = Terms::kRightPerStep * hn::Lanes(Float());
#pragma GCC unroll 4
  for (std::size_t panel = 0; panel < kPanels; ++panel) {
    const auto* const at = in.b + panel * in.panel_size + k * 2 * vector;
    constexpr std::size_t kLine = 64 / sizeof(*at);
    for (std::size_t line = 0; line < 2 * vector; line += kLine)
      hwy::Prefetch(at + kPrefetchBytes<Terms> / sizeof(*at) + line);
    const typename Terms::Vec both[2] = {Terms::load(at), Terms::load(at + vector)};
    multiply_add<Terms, kRows, kPanels>(in.rows, k, both, panel, sums);
  }
}

// Terms that add up the products of two steps before they widen them.
template <typename Terms>
concept AddsTwoSteps = requires {
  &Terms::add_two;
};

// sums += steps k and k + 1.
template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void add_two_steps(const TileIn<Terms, kRows>& in, std::size_t k,
                              Sums<Terms, kRows, kPanels>& sums) {
  const std::size_t vector = Terms::kRightPerStep * hn::Lanes(Float());
#pragma GCC unroll 4
  for (std::size_t panel = 0; panel < kPanels; ++panel) {
    const auto* const at = in.b + panel * in.panel_size + k * 2 * vector;
    hwy::Prefetch(at + kPrefetchBytes<Terms> / sizeof(*at));
    hwy::Prefetch(at + kPrefetchBytes<Terms> / sizeof(*at) + 2 * vector);
    const typename Terms::Vec b[4] = {Terms::load(at), Terms::load(at + vector),
                                      Terms::load(at + 2 * vector), Terms::load(at + 3 * vector)};
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto x = Terms::broadcast(in.rows[r][k]);
      const auto next = Terms::broadcast(in.rows[r][k + 1]);
      Terms::add_two(x, b[0], next, b[2], sums[r][2 * panel]);
      Terms::add_two(x, b[1], next, b[3], sums[r][2 * panel + 1]);
    }
  }
}

// sums = steps [first, last). Two a turn: the loop's end costs less.
template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void sum_steps(const TileIn<Terms, kRows>& in, std::size_t first, std::size_t last,
                          Sums<Terms, kRows, kPanels>& sums) {
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (auto& sum : sums[r]) sum = Terms::zero();
  }
  std::size_t k = first;
  if constexpr (AddsTwoSteps<Terms>) {
    for (; k + 2 <= last; k += 2) add_two_steps<Terms, kRows, kPanels>(in, k, sums);
  }
  for (; k + 2 <= last; k += 2) {
    add_step<Terms, kRows, kPanels>(in, k, sums);
    add_step<Terms, kRows, kPanels>(in, k + 1, sums);
  }
  if (k < last) add_step<Terms, kRows, kPanels>(in, k, sums);
}

template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void to_totals(const Sums<Terms, kRows, kPanels>& sums, Totals<kRows, kPanels>& totals) {
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < 2 * kPanels; ++v) totals[r][v] = Terms::to_float(sums[r][v]);
  }
}

template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void add_to_totals(const Sums<Terms, kRows, kPanels>& sums,
                              Totals<kRows, kPanels>& totals) {
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < 2 * kPanels; ++v)
      totals[r][v] = hn::Add(totals[r][v], Terms::to_float(sums[r][v]));
  }
}

// totals += steps [first, n_steps), as many at once as a sum may hold.
template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void add_rest(const TileIn<Terms, kRows>& in, std::size_t first, std::size_t n_steps,
                         Totals<kRows, kPanels>& totals) {
  while (first < n_steps) {
    const std::size_t last = first + std::min(n_steps - first, Terms::kStepsPerSum);
    Sums<Terms, kRows, kPanels> sums;
    sum_steps<Terms, kRows, kPanels>(in, first, last, sums);
    add_to_totals<Terms, kRows, kPanels>(sums, totals);
    first = last;
  }
}

// out = the rows of a times the panels of b, all columns of them.
template <typename Terms, std::size_t kRows, std::size_t kPanels, typename Out = TileOut>
HWY_NOINLINE void tile(const LeftRows<typename Terms::Left>& a, const typename Terms::Right* b,
                       std::size_t panel_size, const Out& out) {
  TileIn<Terms, kRows> in;
  in.b = b;
  in.panel_size = panel_size;
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) in.rows[r] = a.data + r * a.stride;
  Sums<Terms, kRows, kPanels> sums;
  Totals<kRows, kPanels> totals;
  const std::size_t first_sum = std::min(a.n_steps, Terms::kStepsPerSum);
  sum_steps<Terms, kRows, kPanels>(in, 0, first_sum, sums);
  to_totals<Terms, kRows, kPanels>(sums, totals);
  if constexpr (Terms::kStepsPerSum < SIZE_MAX) {
    if (first_sum < a.n_steps) {
      add_rest<Terms, kRows, kPanels>(in, first_sum, a.n_steps, totals);
      store<Terms, kRows, kPanels>(totals, a, out);
      return;
    }
  }
  // A store of its own: the totals are in registers yet.
  store<Terms, kRows, kPanels>(totals, a, out);
}

template <typename Terms>
using Tile = void (*)(const LeftRows<typename Terms::Left>&, const typename Terms::Right*,
                      std::size_t, const TileOut&);

// Fewer rows leave room for more panels: a product of one row has to be as fast as memory.
constexpr std::size_t panels_of(std::size_t rows) {
  return std::clamp<std::size_t>(kSums / (2 * rows), 1, kMaxPanels);
}

template <typename Terms, std::size_t... kRowsMinus1>
constexpr auto tiles_of(std::index_sequence<kRowsMinus1...>) {
  return std::array<Tile<Terms>, kMaxRows>{
      &tile<Terms, kRowsMinus1 + 1, panels_of(kRowsMinus1 + 1)>...};
}
template <typename Terms, std::size_t... kRowsMinus1>
constexpr auto narrow_tiles_of(std::index_sequence<kRowsMinus1...>) {
  return std::array<Tile<Terms>, kMaxRows>{&tile<Terms, kRowsMinus1 + 1, 1>...};
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
