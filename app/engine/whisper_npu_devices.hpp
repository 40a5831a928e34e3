// Devices, for whisper_npu.hpp, which includes it: where the encoder is to run, and what each did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wnpu {

// ONNX Runtime, for devices "ort...".
struct OrtOptions {
  // Its library, or a folder with it; empty: of the Python environment that is active, else what
  // the dynamic linker finds.
  std::string library = {};
  std::vector<std::string> plugins = {};  // libraries of providers that are not part of it
  std::vector<std::string> options = {};  // KEY=VALUE, for the provider
  std::string weights = "fp32";           // type that the graph has its matrices in, or "fp16"

  bool operator==(const OrtOptions&) const = default;
};

// Device and precision of the encoder; names as the command line has them.
struct DeviceOptions {
  // "cpu", "npu", "sim" (a simulated NPU), "ort:PROVIDER[:DEVICE]" (ONNX Runtime:
  // "ort:openvino:NPU"; "ort": its CPU provider), or "auto": an NPU that opens, else the CPU.
  // Several, which share the work as `split` says: "npu:0,npu:1", "sim:4" (four simulators);
  // "cpu,npu", "cpu,ort:cuda": the CPU beside them.
  std::string requested = "auto";
  // CPU arithmetic: "fp32", "int16", "int8"; "auto": int8, but fp32 on ARM without dot products.
  std::string cpu_precision = "auto";
  std::string plan = "fused";  // calls of the NPU a layer: "fused", "batched", "hybrid", "per-op"
  std::string precision = "bf16";  // what the NPU computes in: "bf16", "int8"
  std::string plan_file = {};  // a layer plan of npu/lab/tune.py, in the place of both; empty: none
  std::string preset = "phoenix-1.0/published";    // CLOCK/KERNELS whose times the simulator models
  std::string xclbin = {};                         // the NPU's overlay; empty: the installed one
  std::optional<std::uint64_t> memory_limit = {};  // bytes of buffers on each NPU; none: no limit
  // A window on which the device fails is done again on the CPU, and all after it; nodes that ONNX
  // Runtime's provider leaves are another provider's.
  bool falls_back = false;
  // Operators from outside: shared libraries (npu/ops/README.md).
  std::vector<std::string> operators = {};
  // "gelu=NAME": an operator that the NPU computes in the place of one of its own; empty: none.
  std::string npu_operator = {};
  // Division of work among several devices: "windows" of batches; "layers": each device has some,
  // and windows go from device to device (pipeline parallel); "heads" and hidden columns of all
  // layers, whose bits depend on the number of devices; "auto": whatever the time model finds
  // fastest for as many windows as are there at once.
  std::string split = "windows";
  // Time of a window on the CPU, and on each device, if they share windows ("cpu,npu"): by these
  // times, 0 to 1e6, windows are dealt out before any work. 0: modelled.
  double cpu_window_ms = 0;
  double npu_window_ms = 0;
  OrtOptions ort = {};

  bool operator==(const DeviceOptions&) const = default;
};

// An operator that was put in the place of one of the NPU's own.
struct OperatorUse {
  std::string replaces;  // "gelu"
  std::string name;
  std::string source;  // "built in", or the path it came from
  std::string ran_on;  // "core": its tile kernel; "cpu": its reference
  std::string reason;  // why the CPU; empty: it was a core
};

// Work of an NPU, or of a simulated one, for one file.
struct NpuUse {
  std::string description;
  std::string plan;       // "fused", "batched", "hybrid", "per-op", "tuned"
  std::string precision;  // "bf16", "int8"
  std::string preset;     // of the simulator's time model; empty on hardware
  std::size_t windows = 0;
  std::size_t launches = 0;          // program calls
  std::size_t submissions = 0;       // commands given to the driver; a run list counts once
  std::uint64_t ddr_bytes = 0;       // moved by the array, as the simulator counts; 0 on hardware
  double modelled_ms_per_layer = 0;  // simulator's; 0: hardware, or no window
  std::optional<std::uint64_t> memory_limit;  // of each device, as asked for
  std::uint64_t memory_bytes = 0;      // most that buffers took at once, as devices counted them
  std::vector<OperatorUse> operators;  // none unless they were asked for
};

// Nodes of the encoder's graph that a provider of ONNX Runtime ran.
struct OrtNodes {
  std::string provider;  // "CPUExecutionProvider"
  std::size_t count = 0;
  std::string operators;  // "Gelu, MatMul"
};

// Work of ONNX Runtime.
struct OrtUse {
  std::string version;          // "ONNX Runtime 1.24.1"
  std::string weights;          // "fp32", "fp16"
  bool was_compiled = false;    // a compilation that was kept was used
  std::vector<OrtNodes> nodes;  // of the provider that was asked for first; others': it left them
};

// A range of consecutive layers, heads or columns.
struct Stretch {
  std::size_t first = 0;
  std::size_t count = 0;
};

// One of the devices that encoded a file, or the CPU beside them.
struct DeviceUse {
  std::string name;         // "npu:1", "sim", "cpu"
  std::size_t windows = 0;  // that it encoded, or had its part of
  std::string failure;      // why it was dropped in the middle of the work; empty: it was not
  unsigned threads = 0;     // of the host, for its work or what it asks of the host
  // Its part of every window where layers, or heads and hidden columns, are divided; none: all.
  std::optional<Stretch> layers, heads, hidden;
  std::uint64_t moved_bytes = 0;      // between the host and its buffers
  std::uint64_t exchanged_bytes = 0;  // of them, for states that pass between devices
  double planned_ms = 0;              // a window, by which windows were dealt out; 0: they were not
  double window_s = 0;  // wall clock, a window or its part of one; a simulator's on "sim"
};

// A way to divide the work, by the time model.
struct SplitWay {
  std::string name;  // "windows", "layers", "heads"
  double modelled_ms = 0;
  std::uint64_t exchanged_bytes = 0;
  std::uint64_t device_bytes = 0;  // of buffers, the most that one device holds
  std::string refusal;             // why it cannot be; empty: it can
};

// How several devices shared the work.
struct SplitUse {
  std::string requested;
  std::string used;
  bool is_planned = false;     // windows were dealt out before the work, else as devices were free
  std::string reason;          // where requested is "auto"
  std::vector<SplitWay> ways;  // the same
};

// Devices requested and devices used.
struct DeviceInfo {
  std::string requested = "auto";
  std::string used = "cpu";
  std::string reason;  // why, where requested is "auto"
  bool simulated = false;
  std::optional<NpuUse> npu;       // of all devices together; none: no NPU of our own path
  std::optional<OrtUse> ort;       // none: another device
  std::vector<DeviceUse> devices;  // each of them; empty: the CPU
  std::optional<SplitUse> split;   // none: one device, or the CPU
  // Why the CPU took over in the middle of the work (falls_back); empty: it did not.
  std::string fallback;
  std::string cpu_precision;  // "fp32", "int16", "int8"
  std::string kernels;        // of the CPU path, e.g. "AVX3_DL with VNNI"
  std::string isa;            // that they use: "AVX2"
};

}  // namespace wnpu
