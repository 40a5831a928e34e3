// How the tiles of u8_gemm.cpp store sums that are scores of a softmax: included after
// u8_tile-inl.h or u8_tile_neon-inl.h, which have store_scores() of a row, as often as they are.
#if defined(WNPU_KERNELS_U8_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WNPU_KERNELS_U8_SCORES_INL_H_
#undef WNPU_KERNELS_U8_SCORES_INL_H_
#else
#define WNPU_KERNELS_U8_SCORES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace wnpu::kernels::HWY_NAMESPACE {

// Output of a tile's scores.
struct ScoresOut {
  std::int16_t* scores;
  std::size_t stride;
  const float* scales;  // of the columns
  const float* sums;    // of the columns of b
  const float* shifts;  // of the rows
  std::size_t cols;     // of the tile that there are; the others get the least score
};

template <typename Terms, std::size_t kRows, std::size_t kPanels>
HWY_INLINE void store(const Totals<kRows, kPanels>& totals, const LeftRows<U8Quad>& a,
                      ScoresOut out) {
  static_assert(kPanels == 1);
  const Float d;
  const std::size_t lanes = hn::Lanes(d);
  const FloatVec scales[2] = {hn::LoadU(d, out.scales), hn::LoadU(d, out.scales + lanes)};
  const FloatVec sums[2] = {hn::LoadU(d, out.sums), hn::LoadU(d, out.sums + lanes)};
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    const OfRow row = load_row(a, r);
    const FloatVec shift = hn::Set(d, out.shifts[r]);
    store_scores(hn::MulSub(Terms::unscaled(totals[r][0], row, sums[0]), scales[0], shift),
                 hn::MulSub(Terms::unscaled(totals[r][1], row, sums[1]), scales[1], shift),
                 out.cols, out.scores + r * out.stride);
  }
}

}  // namespace wnpu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
