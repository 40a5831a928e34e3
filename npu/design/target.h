// What the arrays can do: one table of limits a target, one table of times a preset. Nothing here
// is measured by this project; every number names where it comes from (target.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "npu/design/limits.h"

namespace wnpu::npu {

// An array as the driver hands it out.
struct Target {
  std::string_view name;     // "npu1"
  std::string_view product;  // for people
  int columns = 0;           // usable
  int core_rows = 0;
  std::size_t core_memory_bytes = 0;
  std::size_t core_program_bytes = 0;
  std::size_t mem_tile_bytes = 0;
  DmaLimits core_dma;
  DmaLimits mem_dma;
  DmaLimits shim_dma;
  // Tile kernels load vectors of this size; buffers must lie on it.
  std::size_t vector_bytes = 0;
  int generation = 0;  // as a control program's header counts them
};

const Target& npu1();  // Phoenix, Hawk Point (XDNA1, AIE-ML)
const Target& npu4();  // Strix, Strix Halo, Krackan (XDNA2, AIE2P)
// nullptr where there is no such target.
const Target* find_target(std::string_view name);

// Where a number comes from. Nothing is measured by this project, which has no NPU.
enum class Provenance {
  measured,  // on silicon, by the source named
  counted,   // from instructions or hardware limits, by hand
  assumed,   // a guess; what it rests on is named
};
std::string_view provenance_name(Provenance provenance);

// One number of a KernelTable.
struct Rate {
  double value = 0;
  Provenance provenance = Provenance::assumed;
  std::string_view source;  // who measured it and on what; what the guess rests on
};

// How fast one class of tile kernels runs; whole calls, MAC = multiply-accumulate. A table may
// predict only what its rates were not taken from: see npu/README.md, "Time model".
struct KernelTable {
  std::string_view name;      // "goal", "published", "open-source", "gemm"
  std::string_view rests_on;  // what has to be true for its times, one sentence
  Rate bf16_mac_per_cycle;    // GEMM
  Rate int8_mac_per_cycle;    // GEMM, int32 result
  Rate attention_mac_per_cycle;
  Rate softmax_cycles;     // a score
  Rate layer_norm_cycles;  // an element
  Rate gelu_cycles;        // an element, bias and store included
  Rate epilogue_cycles;    // an element: bias, residual and store
  Rate quantise_cycles;    // an element: row maximum, scale, store as int8
  Rate dequantise_cycles;  // an element of an int8 product: int32 to float, two scales
  Rate call_cycles;        // a kernel call: locks, loop, branch
};

// A clock, a memory and a launch cost for the time model.
struct TimePreset {
  std::string name;  // "phoenix-1.0/published"
  const Target* target = nullptr;
  double clock_ghz = 0;
  double ddr_read_gb_per_s = 0;  // 1e9 bytes a second, all shim channels together
  double ddr_write_gb_per_s = 0;
  double ddr_latency_ns = 0;  // before the first word of a transfer
  double phase_us = 0;        // the instruction processor starts one phase
  double launch_us = 0;       // one program call on its own
  double list_launch_us = 0;  // one program call within a run list
  KernelTable kernels;
};

// What is taken where nothing is asked for.
inline constexpr std::string_view kDefaultPreset = "phoenix-1.0/published";

// "<clock preset>/<kernel table>", e.g. "phoenix-1.0/published". Throws std::invalid_argument
// naming what there is. All presets are npu1's: the design for npu4 is not yet legal (check.h), and
// a time of what hardware refuses says nothing.
TimePreset find_preset(std::string_view name);
// All clock presets and kernel tables, for help texts and benches.
std::span<const std::string_view> clock_preset_names();
std::span<const KernelTable> kernel_tables();

}  // namespace wnpu::npu
