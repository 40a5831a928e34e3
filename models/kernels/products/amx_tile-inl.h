// Tiles of Intel AMX for u8_gemm.cpp: 16 rows of 64 bytes in a register, and one instruction for
// the products of two of them. For AVX3_DL alone, and so included once, after u8_tile-inl.h.
#pragma once

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

constexpr std::size_t kAmxRows = 16;
constexpr std::size_t kAmxQuads = 16;  // of k in a register
constexpr std::size_t kAmxCols = 32;   // a panel: two registers

// Operands of one step of sixteen quads of k: 16 or 32 rows of a, and a panel of b.
struct AmxStep {
  const U8Quad* a;
  std::size_t a_stride;  // bytes
  const std::int8_t* b;
};

// Sums of 16 rows are in tmm0 and tmm1, those of 16 more in tmm2 and tmm3; a comes through tmm4 and
// tmm5, b through tmm6 and tmm7. The compiler uses none of them.
HWY_INLINE void amx_clear() {
  asm volatile(
      "tilezero %%tmm0\n\ttilezero %%tmm1\n\t"
      "tilezero %%tmm2\n\ttilezero %%tmm3"
      :
      :);
}

template <std::size_t kRowTiles>
HWY_INLINE void amx_add(const AmxStep& step) {
  constexpr std::size_t kPanelRow = 4 * kAmxCols;  // bytes
  asm volatile(
      "tileloadd (%0,%1,1), %%tmm6\n\t"
      "tileloadd 64(%0,%1,1), %%tmm7\n\t"
      "tileloadd (%2,%3,1), %%tmm4\n\t"
      "tdpbusd %%tmm6, %%tmm4, %%tmm0\n\t"
      "tdpbusd %%tmm7, %%tmm4, %%tmm1"
      :
      : "r"(step.b), "r"(kPanelRow), "r"(step.a), "r"(step.a_stride)
      : "memory");
  if constexpr (kRowTiles == 2) {
    asm volatile(
        "tileloadd (%0,%1,1), %%tmm5\n\t"
        "tdpbusd %%tmm6, %%tmm5, %%tmm2\n\t"
        "tdpbusd %%tmm7, %%tmm5, %%tmm3"
        :
        : "r"(reinterpret_cast<const std::byte*>(step.a) + kAmxRows * step.a_stride),
          "r"(step.a_stride)
        : "memory");
  }
}

// Copy of the last quads of k that fill no register, zeros behind them.
struct AmxRest {
  HWY_ALIGN U8Quad a[2 * kAmxRows][kAmxQuads] = {};
  HWY_ALIGN std::int8_t b[kAmxQuads][4 * kAmxCols] = {};
};

template <std::size_t kRowTiles>
HWY_INLINE void amx_add_rest(const AmxStep& from, std::size_t n_quads) {
  AmxRest rest;
  const auto* a = reinterpret_cast<const std::byte*>(from.a);
  for (std::size_t r = 0; r < kRowTiles * kAmxRows; ++r)
    std::memcpy(rest.a[r], a + r * from.a_stride, n_quads * sizeof(U8Quad));
  std::memcpy(rest.b, from.b, n_quads * sizeof(rest.b[0]));
  amx_add<kRowTiles>({rest.a[0], sizeof(rest.a[0]), rest.b[0]});
}

// [rows][columns of a panel]
struct AmxSums {
  HWY_ALIGN std::int32_t of[2 * kAmxRows][kAmxCols];
};

template <std::size_t kRowTiles>
HWY_INLINE void amx_take(AmxSums& sums) {
  asm volatile(
      "tilestored %%tmm0, (%0,%1,1)\n\t"
      "tilestored %%tmm1, 64(%0,%1,1)"
      :
      : "r"(sums.of[0]), "r"(sizeof(sums.of[0]))
      : "memory");
  if constexpr (kRowTiles == 2) {
    asm volatile(
        "tilestored %%tmm2, (%0,%1,1)\n\t"
        "tilestored %%tmm3, 64(%0,%1,1)"
        :
        : "r"(sums.of[kAmxRows]), "r"(sizeof(sums.of[0]))
        : "memory");
  }
}

// From row r on.
HWY_INLINE LeftRows<U8Quad> from_row(const LeftRows<U8Quad>& a, std::size_t r) {
  return {a.data + r * a.stride, a.stride, a.n_steps, a.scales + r, a.offsets + r};
}
HWY_INLINE TileOut from_row(TileOut out, std::size_t r) {
  out.c += r * out.stride;
  return out;
}
HWY_INLINE ScoresOut from_row(ScoresOut out, std::size_t r) {
  out.scores += r * out.stride;
  out.shifts += r;
  return out;
}

// As tile() of gemm_tile-inl.h, for 16 kRowTiles rows and one panel, on a thread that has the
// registers.
template <std::size_t kRowTiles, typename Out = TileOut>
HWY_NOINLINE void amx_tile(const LeftRows<U8Quad>& a, const std::int8_t* b,
                           std::size_t /*panel_size*/, const Out& out) {
  amx_clear();
  std::size_t k = 0;
  const auto step = [&] {
    return AmxStep{a.data + k, a.stride * sizeof(U8Quad), b + k * 4 * kAmxCols};
  };
  for (; k + kAmxQuads <= a.n_steps; k += kAmxQuads) amx_add<kRowTiles>(step());
  if (k < a.n_steps) amx_add_rest<kRowTiles>(step(), a.n_steps - k);
  AmxSums sums;
  amx_take<kRowTiles>(sums);
  constexpr std::size_t kTogether = 4;
  for (std::size_t row = 0; row < kRowTiles * kAmxRows; row += kTogether) {
    Totals<kTogether, 1> totals;
    for (std::size_t r = 0; r < kTogether; ++r) {
      for (std::size_t v = 0; v < 2; ++v)
        totals[r][v] = ByteTerms::to_float(hn::Load(Int(), sums.of[row + r] + 16 * v));
    }
    store<ByteTerms, kTogether, 1>(totals, from_row(a, row), from_row(out, row));
  }
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
