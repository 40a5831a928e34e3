// One 30 s window from audio to text, laid out in time: what the CPU did, measured, and what the
// simulated array does in the place of the CPU's layers, modelled. Nothing overlaps: a window's
// layers wait for its stem, its decoder waits for its layers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/core/figure.h"
#include "decoder/search/decode_options.h"
#include "models/weights/precision.h"
#include "npu/design/layer_abi.h"
#include "npu/design/target.h"

namespace wnpu::bench {

// Activity of a lane ("CPU", "NPU array"), in seconds from the window's start.
struct TimelineSpan {
  std::string lane;
  std::string name;
  double start_s = 0;
  double end_s = 0;
  Origin origin = Origin::kMeasured;
};

struct WindowOptions {
  std::filesystem::path model;
  std::filesystem::path audio;  // its first 30 s
  unsigned threads = 1;
  std::string preset{npu::kDefaultPreset};
  npu::Precision precision = npu::Precision::bf16;
  models::Precision cpu_precision = models::auto_precision();
  decoder::DecodeOptions decode;
};

struct Window {
  std::string preset;
  std::string text;  // what was heard
  // The CPU's stages, the array's layers and phases, and the layers on the CPU.
  std::vector<TimelineSpan> stages;
  // Every core and DMA channel of the array, a lane each; modelled.
  std::vector<TimelineSpan> tiles;
};

inline constexpr const char* kCpuLane = "CPU";
inline constexpr const char* kLayersLane = "NPU array";
inline constexpr const char* kPhasesLane = "NPU phases";
inline constexpr const char* kCpuLayersLane = "CPU, in place of the NPU";

// Everything is done twice, and the second time counts. Throws AudioError, ModelError, and
// std::invalid_argument for a model that the array cannot run.
Window measure_window(const WindowOptions& options);

// Trace Event Format (Chrome, Perfetto): a process a machine, a thread a lane, times in
// microseconds; each event's args.kind is "measured" or "modelled".
std::string trace_json(const Window& window);

}  // namespace wnpu::bench
