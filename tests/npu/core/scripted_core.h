// A core on its own: its data memory, its locks, and DMAs that bring elements from lists and take
// results away, between any two of the program's own operations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/core/resident_program.h"
#include "npu/design/resident.h"

namespace wnpu::tests {

using Element = std::vector<std::byte>;

struct Elements {
  std::deque<Element> a, b;
};

// How far the DMAs run ahead of the program.
enum class Pace { lazy, eager, any };

// The locks of a core's tile as its program sees them. A program that takes what nobody will bring
// fails the test; what it has given back is poisoned, so that a slot that is read too late shows.
class ScriptedCore {
 public:
  using Log = std::vector<std::string>;

  ScriptedCore(Elements elements, Pace pace, Log& log)
      : in_(std::move(elements)), pace_(pace), log_(log), memory_(new Bytes) {
    memory_->fill(kPoison);
    const npu::CoreLayout layout = npu::core_layout();
    for (std::size_t p = 0; p < npu::kPorts; ++p) {
      value_.at(static_cast<std::size_t>(layout.locks[p].free)) = layout.buffers[p].depth;
      depth_[p] = static_cast<std::size_t>(layout.buffers[p].depth);
      offset_[p] = layout.buffers[p].offset;
    }
  }

  // As the controller does: headers, then their lock.
  void write_headers(const std::vector<std::uint32_t>& words) {
    const auto bytes = std::as_bytes(std::span(words));
    std::ranges::copy(bytes, memory_->begin() + npu::kHeaders);
    lock(npu::kHeaderLock) = 1;
  }

  void acquire(int id) {
    let_dmas_run(id);
    log_.push_back("acquire " + std::to_string(id));
    REQUIRE(lock(id) >= 1);
    --lock(id);
  }
  void release(int id) {
    log_.push_back("release " + std::to_string(id));
    ++lock(id);
    for (const npu::Port port : {npu::Port::a, npu::Port::b}) {
      if (id == npu::free_lock(port)) poison(port);
    }
    let_dmas_run(-1);
  }

  std::byte* memory() { return memory_->data(); }
  const std::vector<Element>& results() {
    while (lock(npu::full_lock(npu::Port::c)) > 0) drain();
    return results_;
  }
  bool has_elements_left() const { return !in_.a.empty() || !in_.b.empty(); }
  int lock_value(int id) const { return value_.at(static_cast<std::size_t>(id)); }

 private:
  struct alignas(64) Bytes : std::array<std::byte, 65536> {};
  static constexpr std::byte kPoison{0xff};

  int& lock(int id) { return value_.at(static_cast<std::size_t>(id)); }
  static std::size_t index(npu::Port port) { return static_cast<std::size_t>(port); }
  std::span<std::byte> slot(npu::Port port, std::size_t i) {
    return std::span(*memory_).subspan(
        offset_[index(port)] + i % depth_[index(port)] * npu::kElementBytes, npu::kElementBytes);
  }

  // Until `needed`, a lock that the program waits for, is there; more as the pace wants it.
  void let_dmas_run(int needed) {
    for (const npu::Port port : {npu::Port::a, npu::Port::b}) {
      while (lock(npu::free_lock(port)) > 0 && !queue(port).empty() &&
             (needs(needed, npu::full_lock(port)) || runs_ahead())) {
        fill(port);
      }
    }
    while (lock(npu::full_lock(npu::Port::c)) > 0 &&
           (needs(needed, npu::free_lock(npu::Port::c)) || runs_ahead())) {
      drain();
    }
  }
  bool needs(int needed, int id) { return needed == id && lock(id) < 1; }
  bool runs_ahead() { return pace_ == Pace::eager || (pace_ == Pace::any && random_() % 2 == 1); }

  std::deque<Element>& queue(npu::Port port) { return port == npu::Port::a ? in_.a : in_.b; }
  void fill(npu::Port port) {
    const Element element = queue(port).front();
    queue(port).pop_front();
    const auto to = slot(port, filled_[index(port)]++);
    std::ranges::fill(to, kPoison);
    std::ranges::copy(element, to.begin());
    --lock(npu::free_lock(port));
    ++lock(npu::full_lock(port));
  }
  void drain() {
    const auto from = slot(npu::Port::c, 0);
    results_.emplace_back(from.begin(), from.end());
    std::ranges::fill(from, kPoison);
    --lock(npu::full_lock(npu::Port::c));
    ++lock(npu::free_lock(npu::Port::c));
  }
  void poison(npu::Port port) { std::ranges::fill(slot(port, released_[index(port)]++), kPoison); }

  Elements in_;
  Pace pace_;
  Log& log_;
  std::unique_ptr<Bytes> memory_;
  std::mt19937 random_{7};
  std::array<int, npu::kCoreLocks> value_{};
  std::array<std::size_t, npu::kPorts> depth_{}, offset_{}, filled_{}, released_{};
  std::vector<Element> results_;
};

}  // namespace wnpu::tests
