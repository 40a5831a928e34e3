// All that --device can name on this machine, and of what cannot be used: why, and what mends it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/system/machine.h"
#include "encoder/ort/ort_encoder.h"
#include "npu/probe.h"
#include "npu/xrt/xrt_devices.h"
#include "npu/xrt/xrt_manifest.h"

namespace wnpu::app {

struct ListedCpu {
  Machine machine;
  unsigned cpus = 0;  // that threads are of use on
  std::string_view isa;
  std::vector<std::string_view> available_isa;  // best first
  std::string kernels;                          // "AVX3_DL with VNNI"
  std::string_view auto_precision;              // what --precision auto takes
};

// A node of the driver, or a device that XRT shows: the same where their addresses are.
struct ListedNpu {
  std::string name;  // "npu:0", as --device takes it; "npu" where XRT does not show it
  std::string node;  // "/dev/accel/accel0"; empty: none
  npu::XrtDeviceInfo xrt;
  std::string_view target;  // "npu1"; empty where XRT does not show it
  std::string xclbin;       // that fits; empty: none
  std::string reason;       // why it cannot be used; empty: it can
  std::string remedy;       // what mends it, a command where one does; empty: not known
};

struct SimulatedArray {
  std::string_view target;
  std::string_view product;
  std::string others;                // arrays of other presets: "npu4 (AMD XDNA2 ...)"
  std::vector<std::string> presets;  // of --npu-preset, the default first
};

struct DeviceList {
  ListedCpu cpu;
  std::vector<ListedNpu> npus;  // never empty: the absence of any is listed
  std::string xrt;              // "XRT 2.25", "built without XRT"
  SimulatedArray simulated;
  encoder::OrtProviders ort;

  bool has_xrt() const { return xrt.starts_with("XRT "); }
};

// Remedy for a build without XRT.
inline constexpr const char* kBuildWithXrt = "install AMD's XRT and build whisper-npu again";

// `nodes` is what npu::probe() found.
std::vector<ListedNpu> list_npus(std::span<const npu::ProbeResult> nodes,
                                 const npu::XrtDevices& shown, const npu::XclbinPlaces& places);

// `xclbin`: in the place of the installed one; empty: none.
DeviceList list_devices(const std::string& xclbin, const encoder::OrtPlaces& ort);

std::string devices_text(const DeviceList& list);
std::string devices_json(const DeviceList& list);  // devices.schema.json; ends with a newline

}  // namespace wnpu::app
