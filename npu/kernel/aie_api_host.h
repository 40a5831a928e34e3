// AMD's aie_api on x86, as far as the tile kernels use it: vectors. Accumulators and conversions:
// aie_accum_host.h; the matrix instruction: aie_mmul_host.h. Names and semantics: AI Engine API
// User Guide (UG1529) and Xilinx/aie_api dc3ab77, include/aie_api/aie.hpp.
//
// Never kinder than the original: what AIE2 does not do is not here (comparisons and extremes of
// floats, scalar float arithmetic on results, look-up tables in plain order), and saturation and
// rounding start as the hardware does. Denormals are flushed by the control register that
// ArrayFloatMode sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "npu/kernel/host_counts.h"
#include "npu/kernel/host_vector.h"

// Names and type names are AMD's.
// NOLINTBEGIN(readability-identifier-naming)
namespace aie {
inline namespace WNPU_TILE_TARGET {

using std::int16_t;
using std::int32_t;
using std::int8_t;
using wnpu::npu::bfloat16;

// ---- vector: N elements in registers (part), or in half a register when N is small

template <typename T, unsigned N>
struct vector {
  static constexpr unsigned kPartBytes =
      N * sizeof(T) < host::kBytes ? N * sizeof(T) : host::kBytes;
  static constexpr unsigned kParts = N * sizeof(T) / kPartBytes;
  host::Register<T, kPartBytes> part[kParts];

  [[gnu::always_inline]] T get(unsigned i) const {
    host::count(&host::OpCounts::shuffle);
    host::count(&host::OpCounts::scalar);
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(part) + i * sizeof(T), sizeof(T));
    return value;
  }
  // A half of 256 bits or more is a register by itself; less has to be moved.
  template <unsigned M>
  [[gnu::always_inline]] vector<T, M> extract(unsigned index) const {
    if constexpr (M * sizeof(T) < 32) host::count(&host::OpCounts::shuffle);
    vector<T, M> result;
    std::memcpy(result.part, reinterpret_cast<const char*>(part) + index * sizeof(result.part),
                sizeof(result.part));
    return result;
  }
  template <typename U>
  [[gnu::always_inline]] vector<U, N * sizeof(T) / sizeof(U)> cast_to() const {
    vector<U, N * sizeof(T) / sizeof(U)> result;
    static_assert(sizeof(result.part) == sizeof(part));
    std::memcpy(result.part, part, sizeof(part));
    return result;
  }
};

// The address is a multiple of the vector's size, at most 32 bytes: AM020 ch. 4, "aligned
// addresses".
template <unsigned N, typename T>
[[gnu::always_inline]] inline vector<T, N> load_v(const T* from) {
  host::count_access<T, N>(&host::OpCounts::load, from);
  using Part = host::Register<T, vector<T, N>::kPartBytes>;
  vector<T, N> result;
#pragma GCC unroll 8
  for (unsigned i = 0; i < vector<T, N>::kParts; ++i) {
    result.part[i] = host::load<Part>(from + i * (sizeof(Part) / sizeof(T)));
  }
  return result;
}

template <typename T, unsigned N>
[[gnu::always_inline]] inline void store_v(T* to, const vector<T, N>& v) {
  host::count_access<T, N>(&host::OpCounts::store, to);
#pragma GCC unroll 8
  for (unsigned i = 0; i < vector<T, N>::kParts; ++i) {
    host::store(to + i * (sizeof(v.part[0]) / sizeof(T)), v.part[i]);
  }
}

namespace host {
template <typename T, unsigned N, typename F>
[[gnu::always_inline]] inline vector<T, N> map(F f) {
  vector<T, N> result;
#pragma GCC unroll 8
  for (unsigned i = 0; i < vector<T, N>::kParts; ++i) result.part[i] = f(i);
  return result;
}
}  // namespace host

template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> zeros() {
  host::count_shuffle<T, N>();
  return host::map<T, N>([](unsigned) __attribute__((always_inline)) {
    return host::Register<T, vector<T, N>::kPartBytes>{};
  });
}

template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> broadcast(T value) {
  host::count_shuffle<T, N>();
  return host::map<T, N>([=](unsigned) __attribute__((always_inline)) {
    return host::lane(value) - host::Register<T, vector<T, N>::kPartBytes>{};
  });
}

// Two vectors side by side; what is in registers of its own need not move.
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, 2 * N> concat(const vector<T, N>& a,
                                                      const vector<T, N>& b) {
  if constexpr (N * sizeof(T) < 64) host::count(&host::OpCounts::shuffle);
  vector<T, 2 * N> result;
  std::memcpy(result.part, a.part, sizeof(a.part));
  std::memcpy(reinterpret_cast<char*>(result.part) + sizeof(a.part), b.part, sizeof(b.part));
  return result;
}

// ---- integer arithmetic: 512 bits an instruction

template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> add(
    const vector<T, N>& a, const vector<T, N>& b) requires std::is_integral_v<T> {
  host::count_alu<T, N>();
  return host::map<T, N>([&](unsigned i)
                             __attribute__((always_inline)) { return a.part[i] + b.part[i]; });
}
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> sub(
    const vector<T, N>& a, const vector<T, N>& b) requires std::is_integral_v<T> {
  host::count_alu<T, N>();
  return host::map<T, N>([&](unsigned i)
                             __attribute__((always_inline)) { return a.part[i] - b.part[i]; });
}
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> bit_and(
    const vector<T, N>& a, const vector<T, N>& b) requires std::is_integral_v<T> {
  host::count_alu<T, N>();
  return host::map<T, N>([&](unsigned i)
                             __attribute__((always_inline)) { return a.part[i] & b.part[i]; });
}
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> max(
    const vector<T, N>& a, const vector<T, N>& b) requires std::is_integral_v<T> {
  host::count_alu<T, N>();
  return host::map<T, N>([&](unsigned i) __attribute__((always_inline)) {
    const auto is_less = a.part[i] < b.part[i];
    return is_less ? b.part[i] : a.part[i];
  });
}
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> min(
    const vector<T, N>& a, const vector<T, N>& b) requires std::is_integral_v<T> {
  host::count_alu<T, N>();
  return host::map<T, N>([&](unsigned i) __attribute__((always_inline)) {
    const auto is_less = a.part[i] < b.part[i];
    return is_less ? a.part[i] : b.part[i];
  });
}

// ---- masks: of 32-bit elements; a scalar register on the array

template <unsigned N>
struct mask {
  host::I32 part[N * 4 / host::kBytes];

  static mask from_uint32(std::uint32_t bits) {
    std::int32_t lanes[N];
    for (unsigned i = 0; i < N; ++i) lanes[i] = -static_cast<std::int32_t>((bits >> i) & 1u);
    mask result;
    std::memcpy(result.part, lanes, sizeof(lanes));
    return result;
  }
  bool empty() const {
    host::count(&host::OpCounts::scalar);
    std::int32_t lanes[N];
    std::memcpy(lanes, part, sizeof(lanes));
    std::int32_t any = 0;
    for (const std::int32_t lane : lanes) any |= lane;
    return any == 0;
  }
  mask operator|(const mask& other) const {
    host::count(&host::OpCounts::scalar);
    mask result;
    for (unsigned i = 0; i < N * 4 / host::kBytes; ++i) result.part[i] = part[i] | other.part[i];
    return result;
  }
};

template <unsigned N>
[[gnu::always_inline]] inline mask<N> lt(const vector<std::int32_t, N>& a,
                                         const vector<std::int32_t, N>& b) {
  host::count_alu<std::int32_t, N>();
  mask<N> result;
#pragma GCC unroll 8
  for (unsigned i = 0; i < vector<std::int32_t, N>::kParts; ++i) {
    result.part[i] = a.part[i] < b.part[i];
  }
  return result;
}

// b where the mask is set, else a.
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> select(const vector<T, N>& a, const vector<T, N>& b,
                                                  const mask<N>& m) requires(sizeof(T) == 4) {
  host::count_alu<T, N>();
  return host::map<T, N>([&](unsigned i) __attribute__((always_inline)) {
    return host::select(a.part[i], b.part[i], m.part[i]);
  });
}
template <unsigned N>
inline vector<bfloat16, N> select(const vector<bfloat16, N>& a, const vector<bfloat16, N>& b,
                                  const mask<N>& m) {
  host::count_alu<bfloat16, N>();
  return host::map<bfloat16, N>([&](unsigned i) __attribute__((always_inline)) {
    const auto lanes =
        host::join(__builtin_convertvector((host::U32)m.part[2 * i], host::HalfU16),
                   __builtin_convertvector((host::U32)m.part[2 * i + 1], host::HalfU16));
    return (b.part[i] & lanes) | (a.part[i] & ~lanes);
  });
}

// The largest element: five shifts and comparisons of 512 bits for 32 elements.
template <unsigned N>
inline std::int16_t reduce_max(const vector<std::int16_t, N>& v) {
  std::int16_t lanes[N];
  std::memcpy(lanes, v.part, sizeof(lanes));
#pragma GCC unroll 8
  for (unsigned half = N / 2; half > 0; half /= 2) {
    host::count(&host::OpCounts::shuffle);
    host::count(&host::OpCounts::alu);
    for (unsigned i = 0; i < half; ++i) {
      lanes[i] = lanes[i] < lanes[i + half] ? lanes[i + half] : lanes[i];
    }
  }
  host::count(&host::OpCounts::shuffle);
  host::count(&host::OpCounts::scalar);
  return lanes[0];
}

// ---- permutations: one shuffle of 512 bits each

// Elements 0, 2, 4 ...
template <unsigned N>
[[gnu::always_inline]] inline vector<std::int16_t, N / 2> filter_even(
    const vector<std::int16_t, N>& v) {
  host::count_shuffle<std::int16_t, N / 2>();
  return host::map<std::int16_t, N / 2>([&](unsigned i) __attribute__((always_inline)) {
    return host::even_elements(v.part[2 * i], v.part[2 * i + 1]);
  });
}
[[gnu::always_inline]] inline vector<std::int8_t, 16> filter_even(
    const vector<std::int8_t, 32>& v) {
  host::count(&host::OpCounts::shuffle);
  host::Register<std::uint16_t, 16> pairs[2];
  std::memcpy(pairs, v.part, sizeof(pairs));
  host::Register<std::uint8_t, 8> halves[2];
  for (unsigned i = 0; i < 2; ++i) {
    halves[i] = __builtin_convertvector(pairs[i], host::Register<std::uint8_t, 8>);
  }
  vector<std::int8_t, 16> result;
  std::memcpy(result.part, halves, sizeof(halves));
  return result;
}

// v[0..step), w[0..step), v[step..2 step) ...: the lower and the upper half of the result.
template <typename T, unsigned N>
[[gnu::always_inline]] inline std::pair<vector<T, N>, vector<T, N>> interleave_zip(
    const vector<T, N>& v, const vector<T, N>& w, unsigned step) {
  // aie2/interleave.hpp: below 512 bits one shuffle makes both, and its upper half is moved.
  host::count(&host::OpCounts::shuffle, 2 * host::registers<T, N>(512));
  T in[2][N];
  T out[2 * N];
  std::memcpy(in[0], v.part, sizeof(in[0]));
  std::memcpy(in[1], w.part, sizeof(in[1]));
  for (unsigned i = 0; i < 2 * N; i += step) {
    std::memcpy(out + i, in[i / step % 2] + i / step / 2 * step, step * sizeof(T));
  }
  std::pair<vector<T, N>, vector<T, N>> result;
  std::memcpy(result.first.part, out, sizeof(in[0]));
  std::memcpy(result.second.part, out + N, sizeof(in[0]));
  return result;
}

// The transpose of a 4x8 matrix of 16-bit elements or of a 4x4 matrix of 32-bit ones.
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> transpose(const vector<T, N>& v,
                                                     [[maybe_unused]] unsigned rows,
                                                     [[maybe_unused]] unsigned cols) {
  static_assert(N * sizeof(T) == 64);
  host::count(&host::OpCounts::shuffle);
  vector<T, N> result;
  if constexpr (sizeof(T) == 2) {
    host::transpose_4x8(v.part, result.part);
  } else {
    host::transpose_4x4(v.part, result.part);
  }
  return result;
}

}  // namespace WNPU_TILE_TARGET
}  // namespace aie
// NOLINTEND(readability-identifier-naming)
