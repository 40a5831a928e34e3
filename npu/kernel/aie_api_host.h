// What the part of AMD's aie_api that the tile kernels use means on x86 (names and semantics: AI
// Engine API User Guide, AMD UG1529). Differences from the array, all measured or bounded in
// tests/npu_kernel_*: float multiplications are exact to float here and emulated with three bf16
// passes there; inv is rounded correctly here. Denormals are flushed by the control register that
// kernels.cpp sets.
#pragma once

#include <cstdint>

#include "npu/kernel/host_vector.h"

// Names and type names are AMD's.
// NOLINTBEGIN(readability-identifier-naming)
struct accfloat;  // tag: float accumulator
struct acc32;     // tag: int32 accumulator

namespace aie {
inline namespace WNPU_TILE_TARGET {

using std::int16_t;
using std::int32_t;
using std::int8_t;
using std::uint16_t;
using wnpu::npu::bfloat16;

enum class rounding_mode { floor, conv_even };

namespace host {
inline thread_local constinit std::uint32_t carry_mask = 0;  // of narrow(): the hardware truncates
}
inline void set_rounding(rounding_mode mode) {
  host::carry_mask = mode == rounding_mode::conv_even ? 0xffffffffu : 0u;
}

// ---- vector: N elements in registers (part), or in half a register when N is small

template <typename T, unsigned N>
struct vector {
  static constexpr unsigned kPartBytes =
      N * sizeof(T) < host::kBytes ? N * sizeof(T) : host::kBytes;
  static constexpr unsigned kParts = N * sizeof(T) / kPartBytes;
  host::Register<T, kPartBytes> part[kParts];

  [[gnu::always_inline]] T get(unsigned i) const {
    T value;
    std::memcpy(&value, reinterpret_cast<const char*>(part) + i * sizeof(T), sizeof(T));
    return value;
  }
  [[gnu::always_inline]] void set(T value, unsigned i) {
    std::memcpy(reinterpret_cast<char*>(part) + i * sizeof(T), &value, sizeof(T));
  }
  template <unsigned M>
  [[gnu::always_inline]] vector<T, M> extract(unsigned index) const {
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

template <unsigned N, typename T>
[[gnu::always_inline]] inline vector<T, N> load_v(const T* from) {
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
#pragma GCC unroll 8
  for (unsigned i = 0; i < vector<T, N>::kParts; ++i) {
    host::store(to + i * (sizeof(v.part[0]) / sizeof(T)), v.part[i]);
  }
}

template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> zeros() {
  return {};
}

template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> broadcast(T value) {
  vector<T, N> result;
  for (auto& part : result.part) part = value - host::Register<T, vector<T, N>::kPartBytes>{};
  return result;
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
[[gnu::always_inline]] inline vector<T, N> add(const vector<T, N>& a, const vector<T, N>& b) {
  return host::map<T, N>([&](unsigned i)
                             __attribute__((always_inline)) { return a.part[i] + b.part[i]; });
}
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> sub(const vector<T, N>& a, const vector<T, N>& b) {
  return host::map<T, N>([&](unsigned i)
                             __attribute__((always_inline)) { return a.part[i] - b.part[i]; });
}

// ---- comparisons and select (float)

template <unsigned N>
struct mask {
  host::I32 part[N * 4 / host::kBytes];
};

template <unsigned N>
[[gnu::always_inline]] inline mask<N> lt(const vector<float, N>& a, const vector<float, N>& b) {
  mask<N> result;
#pragma GCC unroll 8
  for (unsigned i = 0; i < vector<float, N>::kParts; ++i) result.part[i] = a.part[i] < b.part[i];
  return result;
}

// b where the mask is set, else a.
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> select(const vector<float, N>& a,
                                                      const vector<float, N>& b, const mask<N>& m) {
  return host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    return host::select(a.part[i], b.part[i], m.part[i]);
  });
}

template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> max(const vector<float, N>& a,
                                                   const vector<float, N>& b) {
  return select(a, b, lt(a, b));
}
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> min(const vector<float, N>& a,
                                                   const vector<float, N>& b) {
  return select(b, a, lt(a, b));
}
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> abs(const vector<float, N>& a) {
  return host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    return (host::F32)((host::I32)a.part[i] & 0x7fffffff);
  });
}

// ---- accum: float accumulators

template <typename Tag, unsigned N>
struct accum;

template <unsigned N>
struct accum<accfloat, N> {
  vector<float, N> value;

  template <typename T>
  [[gnu::always_inline]] vector<T, N> to_vector() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return value;
    } else {
      return host::map<T, N>([&](unsigned i) __attribute__((always_inline)) {
        return host::join(host::narrow(value.part[2 * i], host::carry_mask),
                          host::narrow(value.part[2 * i + 1], host::carry_mask));
      });
    }
  }
  [[gnu::always_inline]] void from_vector(const vector<float, N>& v) { value = v; }
  [[gnu::always_inline]] void from_vector(const vector<bfloat16, N>& v) {
#pragma GCC unroll 8
    for (unsigned i = 0; i < vector<bfloat16, N>::kParts; ++i) {
      value.part[2 * i] = host::widen(host::low_half(v.part[i]));
      value.part[2 * i + 1] = host::widen(host::high_half(v.part[i]));
    }
  }
};

// mul and mac of floats: one rounding for the product, one for the sum.
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> mul(const vector<float, N>& a,
                                                     const vector<float, N>& b) {
  return {host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    return a.part[i] * b.part[i];
  })};
}
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> mac(const accum<accfloat, N>& c,
                                                     const vector<float, N>& a,
                                                     const vector<float, N>& b) {
  return {host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    return c.value.part[i] + a.part[i] * b.part[i];
  })};
}
template <unsigned N>
[[gnu::always_inline]] inline accum<accfloat, N> mul(const vector<bfloat16, N>& a,
                                                     const vector<bfloat16, N>& b) {
  accum<accfloat, N> fa;
  accum<accfloat, N> fb;
  fa.from_vector(a);
  fb.from_vector(b);
  return mul(fa.value, fb.value);
}

// ---- reductions: halves against each other, so that the order does not depend on the register

namespace host {
template <unsigned N, typename F>
[[gnu::always_inline]] inline float fold(const vector<float, N>& v, F f) {
  float lanes[N];
  std::memcpy(lanes, v.part, sizeof(lanes));
  for (unsigned half = N / 2; half > 0; half /= 2) {
    for (unsigned i = 0; i < half; ++i) lanes[i] = f(lanes[i], lanes[i + half]);
  }
  return lanes[0];
}
}  // namespace host

template <unsigned N>
[[gnu::always_inline]] inline float reduce_add(const vector<float, N>& v) {
  return host::fold(v, [](float a, float b) { return a + b; });
}
template <unsigned N>
[[gnu::always_inline]] inline float reduce_max(const vector<float, N>& v) {
  return host::fold(v, [](float a, float b) { return a < b ? b : a; });
}

// ---- conversions and scalars

// round(v * 2^shift) to nearest even; |v * 2^shift| below 2^22. (The array rounds as set_rounding
// says; kernels call it with conv_even set.)
template <typename T, unsigned N>
[[gnu::always_inline]] inline vector<T, N> to_fixed(const vector<float, N>& v, unsigned shift) {
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23: adding it leaves an integer in the low bits
  const auto scale = static_cast<float>(1u << shift);
  const auto fixed = host::map<std::int32_t, N>([&](unsigned i) __attribute__((always_inline)) {
    return (host::I32)(v.part[i] * scale + kMagic) - 0x4b400000;
  });
  if constexpr (sizeof(T) == 2) {
    return host::map<T, N>([&](unsigned i) __attribute__((always_inline)) {
      return host::join(__builtin_convertvector((host::U32)fixed.part[2 * i], host::HalfU16),
                        __builtin_convertvector((host::U32)fixed.part[2 * i + 1], host::HalfU16));
    });
  } else {
    vector<T, N> result;
    for (unsigned i = 0; i < N; ++i) result.set(static_cast<T>(fixed.get(i)), i);
    return result;
  }
}
template <unsigned N>
[[gnu::always_inline]] inline vector<float, N> to_float(const vector<std::int32_t, N>& v) {
  return host::map<float, N>([&](unsigned i) __attribute__((always_inline)) {
    return __builtin_convertvector(v.part[i], host::F32);
  });
}

[[gnu::always_inline]] inline float inv(float x) { return 1.0f / x; }

// The transpose of a 4x8 matrix of 16-bit elements, the one shape that kernels use.
template <typename T>
[[gnu::always_inline]] inline vector<T, 32> transpose(const vector<T, 32>& v, unsigned, unsigned) {
  using Row = host::Register<std::uint16_t, 16>;
  using Pairs = host::Register<std::uint32_t, 16>;
  Row r[4];
  std::memcpy(r, v.part, sizeof(r));
  const auto low_01 = (Pairs)__builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 2, 10, 3, 11);
  const auto low_23 = (Pairs)__builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 2, 10, 3, 11);
  const auto high_01 = (Pairs)__builtin_shufflevector(r[0], r[1], 4, 12, 5, 13, 6, 14, 7, 15);
  const auto high_23 = (Pairs)__builtin_shufflevector(r[2], r[3], 4, 12, 5, 13, 6, 14, 7, 15);
  const Pairs columns[4] = {__builtin_shufflevector(low_01, low_23, 0, 4, 1, 5),
                            __builtin_shufflevector(low_01, low_23, 2, 6, 3, 7),
                            __builtin_shufflevector(high_01, high_23, 0, 4, 1, 5),
                            __builtin_shufflevector(high_01, high_23, 2, 6, 3, 7)};
  vector<T, 32> result;
  std::memcpy(result.part, columns, sizeof(columns));
  return result;
}

// ---- look-up tables: entry (index >> step) mod size. The array reads two interleaved copies of
// the table from two banks; here the first holds the entries in plain order.

enum class lut_oor_policy { truncate };

template <unsigned Parallel, typename T>
struct lut {
  lut(int n, const T* ab, const T*) : size(static_cast<unsigned>(n)), entries(ab) {}
  unsigned size;  // power of two
  const T* entries;
};

template <typename Index, typename Lut, lut_oor_policy = lut_oor_policy::truncate>
struct parallel_lookup;

template <typename Index, unsigned Parallel, typename T, lut_oor_policy Policy>
struct parallel_lookup<Index, lut<Parallel, T>, Policy> {
  parallel_lookup(const lut<Parallel, T>& l, unsigned step_bits) : table(l), step(step_bits) {}
  template <unsigned N>
  [[gnu::always_inline]] vector<T, N> fetch(const vector<Index, N>& index) const {
    Index at[N];
    T found[N];
    store_v(at, index);
    for (unsigned i = 0; i < N; ++i) found[i] = table.entries[(at[i] >> step) & (table.size - 1)];
    return load_v<N>(found);
  }
  lut<Parallel, T> table;
  unsigned step;
};

}  // namespace WNPU_TILE_TARGET
}  // namespace aie
// NOLINTEND(readability-identifier-naming)
