// Targets and presets: a table of hardware limits for each array, a table of times for each preset.
// Nothing here is measured by this project; every number names where it comes from (target.cpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "npu/design/kernel_table.h"
#include "npu/design/limits.h"

namespace wnpu::npu {

struct ControllerCosts;  // control/controller_costs.h

// An array as the driver hands it out. A half has as many columns as rows of cores, and a mem tile
// for each of its rows: what one row of cores in one half shares, lies in one mem tile. Designs
// count rows of cores over both halves, so that row r, the cores of row r % array_rows() in half
// r / array_rows(), has the mem tile of column r.
struct Target {
  std::string_view name;     // "npu1"
  std::string_view product;  // for people
  int columns = 0;           // usable, of a half
  int core_rows = 0;         // of all halves
  std::size_t core_memory_bytes = 0;
  std::size_t core_program_bytes = 0;
  std::size_t mem_tile_bytes = 0;
  DmaLimits core_dma;
  DmaLimits mem_dma;
  DmaLimits shim_dma;
  // Tile kernels load vectors of this size; buffers must lie on it.
  std::size_t vector_bytes = 0;
  int generation = 0;  // as a control program's header counts them
  int halves = 1;

  int all_columns() const { return halves * columns; }
  int array_rows() const { return core_rows / halves; }  // of cores, one above the other
};

const Target& npu1();  // Phoenix, Hawk Point (XDNA1, AIE-ML)
const Target& npu4();  // Strix, Strix Halo, Krackan (XDNA2, AIE2P)
// nullptr where there is no such target.
const Target* find_target(std::string_view name);

// A clock, a memory and a launch cost for the time model.
struct HardwareModel {
  std::string name;  // "phoenix-1.0/published"
  const Target* target = nullptr;
  double clock_ghz = 0;
  double ddr_read_gb_per_s = 0;  // 1e9 bytes a second, all shim channels together
  double ddr_write_gb_per_s = 0;
  double ddr_latency_ns = 0;  // before the first word of a transfer
  double launch_us = 0;       // one program call on its own
  double list_launch_us = 0;  // one program call within a run list
  KernelTable kernels;
  const ControllerCosts* controller = nullptr;  // null: phoenix_controller()
};

// Preset that is used by default.
inline constexpr std::string_view kDefaultPreset = "phoenix-1.0/published";

// "<clock preset>/<kernel table>", e.g. "phoenix-1.0/published". Throws std::invalid_argument
// naming what there is.
HardwareModel find_preset(std::string_view name);
// The default for an array: kDefaultPreset is npu1's.
std::string_view usual_preset(const Target& target);
// All clock presets and kernel tables, for help texts and benches.
std::span<const std::string_view> clock_preset_names();
std::span<const KernelTable> kernel_tables();

}  // namespace wnpu::npu
