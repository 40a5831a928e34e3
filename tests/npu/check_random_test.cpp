// check() on random designs, judged by the numbers of the hardware's documents as they are typed
// here.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "tests/few_samples.h"
#include "tests/npu/probe_design.h"

using namespace wnpu::npu;    // NOLINT
using namespace wnpu::tests;  // NOLINT

namespace {

// Small primes past 1023 cannot be split; 1024 can, in two.
int registers_for(std::uint32_t count) { return count <= 1023 ? 1 : count % 2 == 0 ? 2 : 99; }

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}

  Probe next() {
    Probe p = legal_probe();
    p.column = mostly(1, {1, 2});
    p.channel = mostly(3, {3, 4, 5, 5, 5, 6});
    p.memory_shift = mostly(0, {-1, 1, 2});
    p.lock_shift = mostly(0, {-1, 1, 2});
    if (p.column + std::max(p.memory_shift, p.lock_shift) > 3) p.column = 1;
    p.elements = static_cast<std::uint32_t>(pick({1, 1, 2, 5}));
    p.acquired = mostly(1, {2, 63, 63, 64});
    p.initial = mostly(63, {1, 62, 64});
    p.released = mostly(1, {2, 62, 63, 63, 64});
    p.other_initial = mostly(0, {1, 62, 63});
    p.packet_id = mostly(-1, {0, 7, 31, 31, 32});
    p.descriptors = mostly(2, {1, 0, 8, 9});
    const bool is_patterned_in_ddr = pick({0, 1}) == 1;
    const Access patterned = any_pattern(is_patterned_in_ddr);
    const Access flat = run_of(4 * static_cast<std::uint64_t>(pick({0, 1, 1000, 100000})),
                               static_cast<std::uint32_t>(patterned.bytes()));
    (is_patterned_in_ddr ? p.to : p.from) = patterned;
    (is_patterned_in_ddr ? p.from : p.to) = flat;
    p.from.step = 4 * mostly(0, {1, 2000, 30000});
    p.to.step = 4 * static_cast<std::int64_t>(mostly(4096, {0, 1, 1 << 20, (1 << 20) + 1}));
    return p;
  }

 private:
  // One time in eight something near or beyond a limit.
  int mostly(int usual, std::initializer_list<int> unusual) {
    return pick({0, 1, 2, 3, 4, 5, 6, 7}) == 0 ? pick(unusual) : usual;
  }
  int pick(std::initializer_list<int> values) {
    return values
        .begin()[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(engine_)];
  }

  // Large ones in the outermost dimension alone, or nothing would fit.
  std::uint32_t any_count(bool is_outermost) {
    return static_cast<std::uint32_t>(is_outermost ? mostly(2, {1, 7, 1023, 1024, 1031})
                                                   : mostly(2, {1, 3}));
  }

  // Dimensions that never continue each other.
  Access any_pattern(bool is_in_ddr) {
    Access a = run_of(4 * static_cast<std::uint64_t>(pick({0, 3, 5000})),
                      4 * static_cast<std::uint32_t>(pick({1, 2, 8, 64, 256, 1024})));
    std::int64_t extent = a.run;
    std::int64_t continued = 0;  // the stride that would go on where the dimension before ends
    for (int n = pick({0, 1, 1, 2, 2, 3, 4}); n > 0; --n) {
      const std::int64_t gap =
          4 * static_cast<std::int64_t>(mostly(3, {1, 30, is_in_ddr ? 1 << 20 : 3}));
      Dimension dim{any_count(n == 1), extent + gap};
      if (dim.stride == continued) dim.stride += 4;
      if (dim.count > 1) continued = dim.stride * dim.count;
      a.dims.push_back(dim);
      extent += dim.stride * (dim.count - 1);
    }
    return a;
  }

  std::mt19937 engine_;
};

// The hardware's numbers: AM020 ch. 5 and aie-rt's register widths, as words and bytes.
bool fits_registers(const Access& a, int n_dimensions, std::int64_t max_stride) {
  int n = 0;
  bool is_strided = false;
  for (const Dimension& dim : a.dims) {
    if (dim.count == 1) continue;
    is_strided = true;
    n += registers_for(dim.count);
    if (dim.stride > max_stride) return false;
  }
  const bool is_single_word = a.run == 4 && is_strided;
  return !is_strided || n + (is_single_word ? 0 : registers_for(a.run / 4)) <= n_dimensions;
}

std::int64_t last_byte(const Access& a, std::uint32_t elements) {
  std::int64_t end = static_cast<std::int64_t>(a.offset) + a.run;
  for (const Dimension& dim : a.dims) end += dim.stride * (dim.count - 1);
  return end + a.step * (elements - 1);
}

std::string described(const Access& a) {
  std::string text = "offset " + std::to_string(a.offset) + ", run " + std::to_string(a.run) +
                     ", step " + std::to_string(a.step);
  for (const Dimension& dim : a.dims) {
    text += ", " + std::to_string(dim.count) + " x " + std::to_string(dim.stride);
  }
  return text;
}

std::string described(const Probe& p) {
  std::string text = "mem(" + std::to_string(p.column) + ",0) mm2s " + std::to_string(p.channel);
  const auto add = [&](const std::string& name, std::int64_t value) {
    text += ", " + name + " " + std::to_string(value);
  };
  add("memory", p.memory_shift);
  add("locks", p.lock_shift);
  add("elements", p.elements);
  add("takes", p.acquired);
  add("of", p.initial);
  add("gives", p.released);
  add("to", p.other_initial);
  add("packet", p.packet_id);
  add("descriptors", p.descriptors);
  return text + "; from " + described(p.from) + "; to " + described(p.to);
}

bool is_legal(const Probe& p) {
  const bool is_far = p.channel <= 3;  // reaches the neighbours
  const int reach = is_far ? 1 : 0;
  const bool has_places =
      p.channel <= 5 && std::abs(p.memory_shift) <= reach && std::abs(p.lock_shift) <= reach;
  const bool has_locks = p.acquired <= 63 && p.initial <= 63 && p.released <= 63 &&
                         p.acquired <= p.initial && p.other_initial + p.released <= 63;
  const int left = p.channel % 2 == 0 ? 0 : 8;  // of 24; the rest is the layer's
  const bool has_descriptors = p.descriptors >= 1 && p.descriptors <= left;
  const bool has_registers = fits_registers(p.from, 4, 4 << 17) &&
                             fits_registers(p.to, 3, 4 << 20) &&
                             (p.elements == 1 || p.to.step <= 4 << 20);
  const bool has_room = p.from.bytes() <= 8192 && last_byte(p.from, p.elements) <= 512 * 1024 &&
                        last_byte(p.to, p.elements) <= 256 << 20;
  return has_places && has_locks && has_descriptors && has_registers && has_room &&
         p.packet_id <= 31;
}

}  // namespace

TEST_CASE("check: random designs are judged as the documents' numbers say") {
  Generator generator(23);
  constexpr std::size_t kDesigns = 2000 / kSampleShare;
  std::size_t n_legal = 0;
  for (std::size_t i = 0; i < kDesigns; ++i) {
    const Probe probe = generator.next();
    const std::string problem = first_problem(probe_design(probe));
    CAPTURE(i);
    CAPTURE(problem);
    CAPTURE(described(probe));
    REQUIRE(problem.empty() == is_legal(probe));
    n_legal += problem.empty() ? 1 : 0;
  }
  MESSAGE(n_legal, " of ", kDesigns, " random designs are legal");
  CHECK(n_legal > kDesigns / 4);
  CHECK(n_legal < 3 * kDesigns / 4);
}
