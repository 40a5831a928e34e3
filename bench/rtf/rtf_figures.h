// The measurements of --rtf as figures, and these as tables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/core/meters.h"
#include "bench/core/results.h"
#include "bench/rtf/rtf.h"

namespace wnpu::bench {

std::vector<double> totals_of(std::span<const RtfRun> runs);

// Stages, totals and real-time factors. Neither is empty.
void add_stage_figures(std::span<const double> loads, std::span<const RtfRun> runs,
                       Results& results);
// The simulator's time for a layer, of all windows of all files; none where there were none.
std::optional<double> modelled_layer_ms(std::span<const FileRun> files);
// Name for that time: with some plans and splits it is not of a whole layer. `device.npu` is set.
std::string modelled_layer_name(const DeviceInfo& device);
// Figures that the simulator models of an NPU, and notes on the device.
void add_device_figures(std::span<const FileRun> files, Results& results);
// Energy a run, or why there is none.
void add_energy(const EnergyMeter& energy, std::optional<double> joules, std::size_t n_runs,
                Results& results);

std::string rtf_text(const Results& results);

}  // namespace wnpu::bench
