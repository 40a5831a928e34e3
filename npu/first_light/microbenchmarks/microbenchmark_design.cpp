#include "npu/first_light/microbenchmarks/microbenchmark_design.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "npu/design/layer_streams.h"

namespace wnpu::npu {
namespace {

// Places of what is scattered, so far apart (a shim's step is 4 MiB at most: target.cpp) that no
// element is the repetition of another.
constexpr std::array<std::uint64_t, 3> kPlaces{0, 5u << 20, 11u << 20};

// Differences of the Thue-Morse sequence: no run of them comes twice in a row, so that no chain of
// elements is the repetition of another either.
std::size_t place_of(std::uint32_t element) {
  const int place = std::popcount(element + 1) % 2 - std::popcount(element) % 2 + 1;
  return static_cast<std::size_t>(place);
}

class CallBuilder {
 public:
  CallBuilder(Design& design, const MicrobenchmarkCall& call)
      : design_(design), call_(call), streams_(design) {}

  void build() {
    for (std::size_t row = 0; row < streams_.rows(); ++row) send_a(row);
    for (std::size_t column = 0; column < streams_.columns(); ++column) send_b(column);
    for (std::size_t row = 0; row < streams_.rows(); ++row) take_results(row);
    for (std::size_t i = 0; i < call_.idle_locks; ++i) {
      for (std::size_t row = 0; row < streams_.rows(); ++row) streams_.add_lock(row, "idle", 0);
    }
  }

 private:
  const PhaseHeader& phase() const { return call_.phase; }
  bool is_product() const { return phase().kernel == Kernel::gemm_bf16; }
  std::size_t a_bytes() const { return std::size_t{phase().m} * phase().k * 2; }
  std::size_t b_bytes() const { return std::size_t{phase().k} * phase().n * 2; }
  std::size_t c_bytes() const {
    return std::size_t{phase().m} * (is_product() ? phase().n : phase().k) * 2;
  }
  // Rows of another core pass by; a product's A is for all cores of the row.
  std::size_t a_elements() const {
    return phase().outer * (is_product() ? phase().inner : streams_.columns());
  }
  std::size_t b_elements() const { return is_product() ? phase().outer * (1 + phase().inner) : 0; }

  void reserve(std::size_t memory, std::uint64_t bytes) {
    design_.memories[memory].bytes = std::max(design_.memories[memory].bytes, bytes);
  }

  void send_a(std::size_t row) {
    const std::size_t n = a_elements();
    if (call_.has_local_a) {
      const Panel panel = panel_behind(row, streams_.columns(), "a");
      streams_.a_from_panel(row, panel.at(0, u32(a_bytes())), n, {}, {});
      return;
    }
    if (!call_.is_scattered) {
      streams_.a_from_ddr(row, end_to_end(0, row * n * a_bytes(), a_bytes()), n, {});
      reserve(0, (row + 1) * n * a_bytes());
      return;
    }
    for (std::uint32_t i = 0; i < n; ++i)
      streams_.a_from_ddr(row, scattered(0, i, a_bytes()), 1, {});
  }

  Access scattered(std::size_t memory, std::uint32_t element, std::size_t bytes) {
    reserve(memory, kPlaces.back() + bytes);
    return end_to_end(memory, kPlaces.at(place_of(element)), bytes);
  }

  // An element's place behind the rings and `before` other elements.
  Panel panel_behind(std::size_t row, std::size_t before, const std::string& name) {
    return streams_.add_panel(row, name, streams_.panels_begin() + before * kElementBytes,
                              kElementBytes, 1);
  }

  void send_b(std::size_t column) {
    const std::size_t n = b_elements();
    if (n == 0) return;
    if (call_.is_scattered) {
      for (std::uint32_t i = 0; i < n; ++i) {
        streams_.b_from_ddr(column, scattered(1, i, b_bytes()), 1, {});
      }
      return;
    }
    streams_.b_from_ddr(column, end_to_end(1, column * n * b_bytes(), b_bytes()), n, {});
    reserve(1, (column + 1) * n * b_bytes());
  }

  // `index`: of a core's results in DDR.
  void store_result(std::size_t row, std::size_t column, std::size_t index) {
    const std::size_t bytes = c_bytes();
    const std::uint64_t to =
        ((index * streams_.rows() + row) * streams_.columns() + column) * bytes;
    streams_.c_to_ddr(row, column, {end_to_end(0, 0, bytes), end_to_end(2, to, bytes), kNone});
    reserve(2, to + bytes);
  }

  // A place for each column, for all results but the last.
  void keep_results(std::size_t row) {
    std::vector<Panel> kept;
    for (std::size_t column = 0; column < streams_.columns(); ++column) {
      kept.push_back(panel_behind(row, column, "kept"));
    }
    for (std::size_t o = 0; o + 1 < phase().outer; ++o) {
      for (std::size_t column = 0; column < streams_.columns(); ++column) {
        streams_.c_to_panel(row, column, {kept[column].at(0, u32(c_bytes())), {}, {}});
      }
    }
  }

  void take_results(std::size_t row) {
    if (call_.keeps_results) keep_results(row);
    const std::size_t stored = call_.keeps_results ? 1 : phase().outer;
    for (std::size_t o = 0; o < stored; ++o) {
      for (std::size_t column = 0; column < streams_.columns(); ++column) {
        store_result(row, column, o);
      }
    }
  }

  Design& design_;
  const MicrobenchmarkCall& call_;
  LayerStreams streams_;
};

}  // namespace

Design microbenchmark_design(const Target& target, const std::string& name,
                             const MicrobenchmarkCall& call) {
  Design design;
  design.target = &target;
  design.name = name;
  // B is there for all, since arguments are told apart by their place.
  for (const char* argument : {"a", "b", "results"}) {
    design.memories.push_back({argument, true, kElementBytes, {}, 0, 0});
  }
  Phase phase;
  static_cast<PhaseHeader&>(phase) = call.phase;
  phase.name = name;
  design.phases = {phase};
  CallBuilder(design, call).build();
  return design;
}

}  // namespace wnpu::npu
