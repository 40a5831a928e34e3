// Matrix products of a tile, 4x4 instructions at a time (4x2 in int8) so that each operand is used
// four times. Runs on a core of the array and, through aie_api_host.h, here.
#pragma once

#include <cstddef>

#include "npu/kernel/aie_api.h"
#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu::kernel {
inline namespace WNPU_TILE_TARGET {

// c[m, n] += a[m, k] * b[k, n]; layouts as in tile_kernels.h, with the tiles of Mmul.
template <typename Mmul, typename Operand, typename Result>
struct Gemm {
  std::size_t k_tiles;
  std::size_t n_tiles;

  // The Rows x Cols result tiles from the ones that the pointers stand at.
  template <std::size_t Rows, std::size_t Cols>
  void block(const Operand* a, const Operand* b, Result* c) const {
    const std::size_t a_row = k_tiles * Mmul::size_A;
    const std::size_t c_row = n_tiles * Mmul::size_C;
    Mmul sum[Rows][Cols];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (std::size_t j = 0; j < Cols; ++j) {
        sum[i][j] = Mmul(aie::load_v<Mmul::size_C>(c + i * c_row + j * Mmul::size_C));
      }
    }
    for (std::size_t k = 0; k < k_tiles; ++k) {
      multiply(a + k * Mmul::size_A, a_row, b + k * n_tiles * Mmul::size_B, sum);
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
      for (std::size_t j = 0; j < Cols; ++j) {
        aie::store_v(c + i * c_row + j * Mmul::size_C, sum[i][j].template to_vector<Result>());
      }
    }
  }

  // One step along k: Rows + Cols loads for Rows * Cols instructions.
  template <std::size_t Rows, std::size_t Cols>
  [[gnu::always_inline]] static void multiply(const Operand* a, std::size_t a_row, const Operand* b,
                                              Mmul (&sum)[Rows][Cols]) {
    decltype(aie::load_v<Mmul::size_B>(b)) right[Cols];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < Cols; ++j) {
      right[j] = aie::load_v<Mmul::size_B>(b + j * Mmul::size_B);
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < Rows; ++i) {
      const auto left = aie::load_v<Mmul::size_A>(a + i * a_row);
#pragma GCC unroll 4
      for (std::size_t j = 0; j < Cols; ++j) sum[i][j].mac(left, right[j]);
    }
  }

  // A strip of Rows result tiles' height.
  template <std::size_t Rows, std::size_t Cols>
  void strip(const Operand* a, const Operand* b, Result* c) const {
    std::size_t j = 0;
    for (; j + Cols <= n_tiles; j += Cols) {
      block<Rows, Cols>(a, b + j * Mmul::size_B, c + j * Mmul::size_C);
    }
    for (; j < n_tiles; j += 2) {
      block<Rows, 2>(a, b + j * Mmul::size_B, c + j * Mmul::size_C);
    }
  }

  // m_tiles and n_tiles are even.
  template <std::size_t Rows, std::size_t Cols>
  void run(std::size_t m_tiles, const Operand* a, const Operand* b, Result* c) const {
    const std::size_t a_row = k_tiles * Mmul::size_A;
    const std::size_t c_row = n_tiles * Mmul::size_C;
    std::size_t i = 0;
    for (; i + Rows <= m_tiles; i += Rows) strip<Rows, Cols>(a + i * a_row, b, c + i * c_row);
    for (; i < m_tiles; i += 2) strip<2, Cols>(a + i * a_row, b, c + i * c_row);
  }
};

using MmulBf16 = aie::mmul<4, 8, 4, bfloat16, bfloat16, accfloat>;
using MmulInt8 = aie::mmul<4, 8, 8, std::int8_t, std::int8_t, acc32>;

// 16 accumulators of 512 bits, of the 18 that AM020 table 11 has; in int8 8 of 1024 bits, of 9.
inline void gemm_bf16(GemmShape s, const bfloat16* a, const bfloat16* b, float* c) {
  const Gemm<MmulBf16, bfloat16, float> gemm{s.k / 8, s.n / 4};
  gemm.template run<4, 4>(s.m / 4, a, b, c);
}

inline void gemm_int8(GemmShape s, const std::int8_t* a, const std::int8_t* b, std::int32_t* c) {
  const Gemm<MmulInt8, std::int8_t, std::int32_t> gemm{s.k / 8, s.n / 8};
  gemm.template run<4, 2>(s.m / 4, a, b, c);
}

}  // namespace WNPU_TILE_TARGET
}  // namespace wnpu::npu::kernel
