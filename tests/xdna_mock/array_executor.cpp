#include "tests/xdna_mock/array_executor.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace wnpu::tests {
namespace {

constexpr const char* kAdder = "adder of the tests";

std::int32_t element(std::span<const std::byte> bytes, std::size_t i) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
  return value;
}

void add(std::span<const std::byte> a, std::span<const std::byte> b, std::span<std::byte> out) {
  for (std::size_t i = 0; i < out.size() / sizeof(std::int32_t); ++i) {
    // Unsigned: memory that was never synced holds anything, and sums of it may wrap.
    const auto sum =
        static_cast<std::uint32_t>(element(a, i)) + static_cast<std::uint32_t>(element(b, i));
    std::memcpy(out.data() + i * sizeof(sum), &sum, sizeof(sum));
  }
}

}  // namespace

npu::Design adder_design(std::size_t n_elements) {
  npu::Design design;
  design.name = kAdder;
  design.target = &npu::npu1();
  for (const char* name : {"a", "b", "out"}) {
    design.memories.push_back({name, true, n_elements * sizeof(std::int32_t), {}, 0});
  }
  return design;
}

void execute(const npu::Design& design, std::span<const std::span<std::byte>> arguments) {
  if (arguments.size() != design.n_arguments()) {
    throw std::runtime_error(design.name + ": " + std::to_string(arguments.size()) + " arguments");
  }
  if (design.name != kAdder) throw std::runtime_error(design.name + ": unknown here");
  add(arguments[0], arguments[1], arguments[2]);
}

}  // namespace wnpu::tests
