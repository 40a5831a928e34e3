#include "npu/memory/buffer_plan.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace wnpu::npu {
namespace {

bool is_together(const BufferUse& a, const BufferUse& b) {
  return a.first <= b.last && b.first <= a.last;
}

// The most is needed in a step in which a use begins.
std::size_t least_bytes(std::span<const BufferUse> uses) {
  std::size_t most = 0;
  for (const BufferUse& begin : uses) {
    std::size_t bytes = 0;
    for (const BufferUse& use : uses) {
      if (use.first <= begin.first && begin.first <= use.last) bytes += use.bytes;
    }
    most = std::max(most, bytes);
  }
  return most;
}

std::vector<std::size_t> largest_first(std::span<const BufferUse> uses) {
  std::vector<std::size_t> order(uses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return uses[a].bytes > uses[b].bytes; });
  return order;
}

using Users = std::vector<std::vector<std::size_t>>;  // of each buffer

Users::iterator first_free(Users& users, std::span<const BufferUse> uses, const BufferUse& use) {
  return std::ranges::find_if(users, [&](const std::vector<std::size_t>& others) {
    return std::ranges::none_of(others,
                                [&](std::size_t other) { return is_together(uses[other], use); });
  });
}

}  // namespace

std::size_t BufferPlan::bytes() const {
  std::size_t sum = 0;
  for (const PlannedBuffer& buffer : buffers) sum += buffer.bytes;
  return sum;
}

BufferPlan plan_buffers(std::span<const BufferUse> uses) {
  BufferPlan plan;
  plan.place.resize(uses.size());
  plan.least_bytes = least_bytes(uses);
  Users users;
  for (const std::size_t i : largest_first(uses)) {
    if (uses[i].last < uses[i].first) {
      throw std::invalid_argument("buffer plan: " + uses[i].name + ": ends before it begins");
    }
    plan.apart_bytes += uses[i].bytes;
    const auto found = first_free(users, uses, uses[i]);
    plan.place[i] = static_cast<std::size_t>(found - users.begin());
    if (found == users.end()) {
      plan.buffers.push_back({uses[i].bytes, uses[i].argument});
      users.push_back({i});
    } else {
      found->push_back(i);
    }
  }
  return plan;
}

void require_memory(std::optional<std::size_t> limit, std::size_t bytes, const std::string& work) {
  if (!limit || bytes <= *limit) return;
  throw DeviceError(work + ": expected a memory limit of at least " + std::to_string(bytes) +
                    " bytes, found " + std::to_string(*limit));
}

}  // namespace wnpu::npu
