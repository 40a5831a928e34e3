// The program of a core, main() and tile kernels, compiles as a core would compile it (__AIEARCH__
// is set for this file): against aie_api's signatures (aie_mock/), with the compiler's own
// bfloat16, and with a float that has no arithmetic, as AIE2 has no scalar float unit (AM020 ch. 4:
// "No floating point unit"). The compiler is the test: nothing here is linked or run.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace wnpu::tests {

// Float as a scalar register allows it: loaded, stored and broadcast, without arithmetic.
class ScalarFloat {
 public:
  ScalarFloat() = default;
  constexpr ScalarFloat(std::floating_point auto value) : value_(static_cast<float>(value)) {}

 private:
  [[maybe_unused]] float value_ = 0;
};
static_assert(sizeof(ScalarFloat) == 4);

template <typename T>
concept IsAdded = requires(T a, T b) {
  a + b;
};
template <typename T>
concept IsMultiplied = requires(T a) {
  a * 2.0f;
};
template <typename T>
concept IsOrdered = requires(T a, T b) {
  a < b;
};
template <typename T>
concept IsConverted = requires(T a) {
  static_cast<int>(a);
};
template <typename T>
concept HasArithmetic = IsAdded<T> || IsMultiplied<T> || IsOrdered<T> || IsConverted<T>;
static_assert(HasArithmetic<float> && !HasArithmetic<ScalarFloat>);

}  // namespace wnpu::tests

// NOLINTNEXTLINE(bugprone-macro-parentheses): stands for a keyword
#define float wnpu::tests::ScalarFloat
#include "npu/core/resident.cc"  // NOLINT(bugprone-suspicious-include): all in one, with this float
#include "npu/kernel/tile_attention.h"
#include "npu/kernel/tile_epilogue.h"
#include "npu/kernel/tile_gemm.h"
#include "npu/kernel/tile_rows.h"

#undef float

namespace wnpu::npu::kernel {

static_assert(std::is_same_v<npu::bfloat16, ::bfloat16>);

}  // namespace wnpu::npu::kernel
