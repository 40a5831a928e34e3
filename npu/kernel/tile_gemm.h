// Matrix products of a tile, 2x2 instructions at a time so that each operand is used twice. Runs on
// a core of the array and, through aie_api_host.h, here.
#pragma once

#include <cstddef>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/kernels.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

// c[m, n] += a[m, k] * b[k, n]; operand layouts as in kernels.h, with the tiles of Mmul.
// c[m, n] += a[m, k] * b[k, n]; layouts as in kernels.h, with the tiles of Mmul.
template <typename Mmul, typename Operand, typename Result>
struct Gemm {
  std::size_t k_tiles;
  std::size_t n_tiles;

  // The 2x2 result tiles from tile (i, j) on.
  void block(const Operand* a, const Operand* b, Result* c) const {
    const Operand* a1 = a + k_tiles * Mmul::size_A;
    Result* c1 = c + n_tiles * Mmul::size_C;
    Mmul c00(aie::load_v<Mmul::size_C>(c));
    Mmul c01(aie::load_v<Mmul::size_C>(c + Mmul::size_C));
    Mmul c10(aie::load_v<Mmul::size_C>(c1));
    Mmul c11(aie::load_v<Mmul::size_C>(c1 + Mmul::size_C));
    for (std::size_t k = 0; k < k_tiles; ++k) {
      const auto a_0 = aie::load_v<Mmul::size_A>(a);
      const auto a_1 = aie::load_v<Mmul::size_A>(a1);
      const auto b_0 = aie::load_v<Mmul::size_B>(b);
      const auto b_1 = aie::load_v<Mmul::size_B>(b + Mmul::size_B);
      c00.mac(a_0, b_0);
      c01.mac(a_0, b_1);
      c10.mac(a_1, b_0);
      c11.mac(a_1, b_1);
      a += Mmul::size_A;
      a1 += Mmul::size_A;
      b += n_tiles * Mmul::size_B;
    }
    aie::store_v(c, c00.template to_vector<Result>());
    aie::store_v(c + Mmul::size_C, c01.template to_vector<Result>());
    aie::store_v(c1, c10.template to_vector<Result>());
    aie::store_v(c1 + Mmul::size_C, c11.template to_vector<Result>());
  }

  void run(std::size_t m_tiles, const Operand* a, const Operand* b, Result* c) const {
    for (std::size_t i = 0; i < m_tiles; i += 2) {
      for (std::size_t j = 0; j < n_tiles; j += 2) {
        block(a + i * k_tiles * Mmul::size_A, b + j * Mmul::size_B,
              c + (i * n_tiles + j) * Mmul::size_C);
      }
    }
  }
};

using MmulBf16 = aie::mmul<4, 8, 4, bfloat16, bfloat16, accfloat>;
using MmulInt8 = aie::mmul<4, 8, 8, std::int8_t, std::int8_t, acc32>;

inline void gemm_bf16(GemmShape s, const bfloat16* a, const bfloat16* b, float* c) {
  const Gemm<MmulBf16, bfloat16, float> gemm{s.k / 8, s.n / 4};
  gemm.run(s.m / 4, a, b, c);
}

inline void gemm_int8(GemmShape s, const std::int8_t* a, const std::int8_t* b, std::int32_t* c) {
  const Gemm<MmulInt8, std::int8_t, std::int32_t> gemm{s.k / 8, s.n / 8};
  gemm.run(s.m / 4, a, b, c);
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
