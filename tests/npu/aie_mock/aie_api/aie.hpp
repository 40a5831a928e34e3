// A stand-in for AMD's <aie_api/aie.hpp> that only declares: what of it the tile kernels may use,
// with the signatures, constness and restrictions that Xilinx/aie_api dc3ab77 documents for AIE-ML
// (include/aie_api/aie.hpp, accum.hpp, mask.hpp, vector.hpp). Kernel sources that compile against
// it ask for nothing that is not there; that they compile with a core's compiler, or run, it cannot
// say. Nothing can be called.
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming): names are AMD's

// The compilers' intrinsics of locks, as aie_api itself calls them (detail/aie2/lock.hpp) and
// llvm-aie declares them (aiev2_locks.h).
void acquire_greater_equal(unsigned id, unsigned value);
void release(unsigned id, int value);

// The compiler's own type: made from a number, no bits to look at.
class bfloat16 {
 public:
  bfloat16() = default;
  template <std::floating_point T>
  constexpr bfloat16(T value) : bits_(static_cast<std::uint16_t>(value)) {}

 private:
  [[maybe_unused]] std::uint16_t bits_ = 0;
};
struct accfloat;
struct acc32;

namespace aie {

using std::int16_t;
using std::int32_t;
using std::int8_t;

enum class saturation_mode : unsigned { none = 0, saturate = 1, symmetric = 3 };
enum class rounding_mode : unsigned { floor, conv_even };
void set_saturation(saturation_mode mode);
void set_rounding(rounding_mode mode);

template <typename T>
concept ElemBaseType = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::int16_t> ||
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, bfloat16> || std::is_same_v<T, float>;
template <typename T>
concept Integer = ElemBaseType<T> && std::is_integral_v<T>;

// Registers are 128, 256, 512 or 1024 bits, a mask is a bit an element.
template <typename T, unsigned N>
concept Registered =
    N * sizeof(T) == 16 || N * sizeof(T) == 32 || N * sizeof(T) == 64 || N * sizeof(T) == 128;

template <ElemBaseType T, unsigned N>
requires Registered<T, N>
class vector {
 public:
  using value_type = T;
  static constexpr unsigned size() { return N; }
  vector() = default;
  T get(unsigned index) const;
  template <unsigned M>
  vector<T, M> extract(unsigned index) const;
  template <ElemBaseType U>
  vector<U, N * sizeof(T) / sizeof(U)> cast_to() const;
};

template <unsigned N>
class mask {
 public:
  mask() = default;
  static mask from_uint32(unsigned bits);
  bool empty() const;
  mask operator|(const mask& other) const;
};

template <typename Tag, unsigned N>
class accum;
template <unsigned N>
class accum<accfloat, N> {
 public:
  accum() = default;
  template <ElemBaseType T>
  requires std::is_same_v<T, float> || std::is_same_v<T, bfloat16> vector<T, N> to_vector(
      int shift = 0)
  const;
  void from_vector(const vector<float, N>& v, int shift = 0);
  void from_vector(const vector<bfloat16, N>& v, int shift = 0);
};
template <unsigned N>
class accum<acc32, N> {
 public:
  accum() = default;
  template <Integer T>
  vector<T, N> to_vector(int shift = 0) const;
  template <Integer T>
  void from_vector(const vector<T, N>& v, int shift = 0);
};

template <unsigned N, typename T>
vector<std::remove_const_t<T>, N> load_v(const T* from);
template <typename T, unsigned N>
T* store_v(T* to, const vector<T, N>& v);

template <ElemBaseType T, unsigned N>
vector<T, N> zeros();
template <ElemBaseType T, unsigned N>
vector<T, N> broadcast(T value);
template <typename T, unsigned N>
vector<T, 2 * N> concat(const vector<T, N>& a, const vector<T, N>& b);

template <typename T, unsigned N>
vector<T, N> add(const vector<T, N>& a, const vector<T, N>& b);
template <typename T, unsigned N>
vector<T, N> sub(const vector<T, N>& a, const vector<T, N>& b);
template <typename Tag, unsigned N>
accum<Tag, N> add(const accum<Tag, N>& a, const accum<Tag, N>& b);
template <typename Tag, unsigned N>
accum<Tag, N> sub(const accum<Tag, N>& a, const accum<Tag, N>& b);
template <Integer T, unsigned N>
vector<T, N> bit_and(const vector<T, N>& a, const vector<T, N>& b);
// Extremes and comparisons of floats are left out on purpose: AIE-ML has them for bfloat16 alone
// (AM020 ch. 4, Floating-Point Vector Unit).
template <Integer T, unsigned N>
vector<T, N> max(const vector<T, N>& a, const vector<T, N>& b);
template <Integer T, unsigned N>
vector<T, N> min(const vector<T, N>& a, const vector<T, N>& b);
template <Integer T, unsigned N>
mask<N> lt(const vector<T, N>& a, const vector<T, N>& b);
template <typename T, unsigned N>
vector<T, N> select(const vector<T, N>& a, const vector<T, N>& b, const mask<N>& m);
template <unsigned N>
float reduce_add(const vector<float, N>& v);
template <Integer T, unsigned N>
T reduce_max(const vector<T, N>& v);

template <unsigned N>
accum<accfloat, N> mul(const vector<float, N>& a, const vector<float, N>& b);
template <unsigned N>
accum<accfloat, N> mul(const vector<bfloat16, N>& a, const vector<bfloat16, N>& b);
template <unsigned N>
accum<accfloat, N> mac(const accum<accfloat, N>& c, const vector<float, N>& a,
                       const vector<float, N>& b);
template <unsigned N>
accum<accfloat, N> mac(const accum<accfloat, N>& c, const vector<bfloat16, N>& a,
                       const vector<bfloat16, N>& b);
template <unsigned N>
accum<acc32, N> mac(const accum<acc32, N>& c, const vector<std::int16_t, N>& a,
                    const vector<std::int16_t, N>& b);

template <Integer T, unsigned N>
vector<float, N> to_float(const vector<T, N>& v, int shift = 0);
template <unsigned N>
vector<float, N> inv(const vector<float, N>& v);
template <unsigned N>
vector<float, N> invsqrt(const vector<float, N>& v);

template <typename T, unsigned N>
vector<T, N / 2> filter_even(const vector<T, N>& v, unsigned chunk_size = 1);
template <typename T, unsigned N>
std::pair<vector<T, N>, vector<T, N>> interleave_zip(const vector<T, N>& v, const vector<T, N>& w,
                                                     unsigned chunk_size);
template <typename T, unsigned N>
vector<T, N> transpose(const vector<T, N>& v, unsigned row, unsigned col);

// The shapes of aie::mmul's table for AIE-ML that one instruction makes.
template <unsigned M, unsigned K, unsigned N, typename A, typename B, typename Tag>
concept NativeMmul = M == 4 && K == 8 &&
                     ((N == 4 && std::is_same_v<A, bfloat16> && std::is_same_v<B, bfloat16> &&
                       std::is_same_v<Tag, accfloat>) ||
                      (N == 8 && std::is_same_v<A, std::int8_t> && std::is_same_v<B, std::int8_t> &&
                       std::is_same_v<Tag, acc32>));

template <unsigned M, unsigned K, unsigned N, ElemBaseType A, ElemBaseType B, typename Tag>
requires NativeMmul<M, K, N, A, B, Tag>
class mmul {
 public:
  static constexpr unsigned size_A = M * K;
  static constexpr unsigned size_B = K * N;
  static constexpr unsigned size_C = M * N;
  mmul();
  template <ElemBaseType T>
  explicit mmul(const vector<T, size_C>& c, int shift = 0);
  explicit mmul(const accum<Tag, size_C>& c);
  void mac(const vector<A, size_A>& a, const vector<B, size_B>& b);
  accum<Tag, size_C> to_accum() const;
  template <ElemBaseType T>
  vector<T, size_C> to_vector(int shift = 0) const;
};

}  // namespace aie
// NOLINTEND(readability-identifier-naming)
