#include "npu/kernel/issue_limits.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace wnpu::npu::kernel {

IssueBound issue_bound(const OpCounts& c, const IssueLimits& limits) {
  const auto cycles = [](std::uint64_t n, double a_cycle) {
    return static_cast<double>(n) / a_cycle;
  };
  const std::array units{
      IssueBound{cycles(c.mac, limits.products), "products"},
      IssueBound{cycles(c.alu + c.shuffle + c.upshift, limits.vector_operations), "vector unit"},
      IssueBound{cycles(c.load, limits.loads), "loads"},
      IssueBound{cycles(c.store + c.downshift, limits.stores), "stores"},
      IssueBound{cycles(c.scalar, limits.scalar_operations), "scalar unit"}};
  return *std::ranges::max_element(units, {}, &IssueBound::cycles);
}

}  // namespace wnpu::npu::kernel
