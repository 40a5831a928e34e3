// What the arrays can do: one table of limits a target, one table of times a preset. Nothing here
// is measured by this project; every number names where it comes from (target.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wnpu::npu {

// Limits of a DMA engine in one kind of tile.
struct DmaLimits {
  int s2mm_channels = 0;         // stream to memory
  int mm2s_channels = 0;         // memory to stream
  int buffer_descriptors = 0;    // a tile
  int locks = 0;                 // a tile
  int dimensions = 0;            // of an access pattern, the contiguous run included
  std::uint64_t max_bytes = 0;   // of one descriptor
  std::uint64_t max_stride = 0;  // bytes
};

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
};

const Target& npu1();  // Phoenix, Hawk Point (XDNA1, AIE-ML)
const Target& npu4();  // Strix, Strix Halo, Krackan (XDNA2, AIE2P)
// nullptr where there is no such target.
const Target* find_target(std::string_view name);

// How fast one class of tile kernels runs; whole calls, MAC = multiply-accumulate.
struct KernelTable {
  std::string_view name;          // "tuned", "peano", "stock", ...
  double bf16_mac_per_cycle = 0;  // GEMM
  double int8_mac_per_cycle = 0;  // GEMM, int32 result
  double attention_mac_per_cycle = 0;
  double softmax_cycles = 0;     // a score
  double layer_norm_cycles = 0;  // an element
  double gelu_cycles = 0;        // an element, bias and store included
  double epilogue_cycles = 0;    // an element: bias, residual and store
  double quantise_cycles = 0;    // an element: row maximum, scale, store as int8
  double call_cycles = 0;        // a kernel call: locks, loop, branch
};

// A clock, a memory and a launch cost for the time model.
struct TimePreset {
  std::string name;  // "phoenix-1.0/peano"
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

// "<clock preset>/<kernel table>", e.g. "phoenix-1.0/peano". Throws std::invalid_argument naming
// what there is.
TimePreset find_preset(std::string_view name);
// All names of clock presets and of kernel tables, for help texts and benches.
std::span<const std::string_view> clock_preset_names();
std::span<const std::string_view> kernel_table_names();

}  // namespace wnpu::npu
