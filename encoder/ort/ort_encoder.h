// Encoder on ONNX Runtime, whose providers reach NPUs and GPUs of many vendors. The library is
// loaded at run time; only its C header is needed to build, and without it these functions say so
// (ort_absent.cpp).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "encoder/window_encoder.h"
#include "models/base/dims.h"

namespace wnpu::encoder {

// Places of ONNX Runtime and of its plug-ins.
struct OrtPlaces {
  // Its library, or a folder with it; empty: of the Python environment that is active
  // (VIRTUAL_ENV), else what the dynamic linker finds.
  std::string library = {};
  std::vector<std::string> plugins = {};  // libraries of further providers
};

// A provider on a device, as --device names it behind "ort:".
struct OrtTarget {
  std::string provider = "cpu";  // in lower case: "openvino"
  std::string device = {};       // "NPU", "GPU.1"; empty: the provider's first

  std::string text() const { return device.empty() ? provider : provider + ":" + device; }
};

// A provider that ONNX Runtime knows here.
struct OrtProvider {
  std::string name;    // "openvino:NPU"
  std::string vendor;  // "Intel"; empty: not told
  std::string device;  // that it runs on, in words
};
struct OrtProviders {
  std::string version;  // "ONNX Runtime 1.24.1"; empty: it was not loaded
  std::string library;  // its file
  std::string problem;  // why it was not loaded
  std::vector<OrtProvider> providers;
};
OrtProviders list_ort_providers(const OrtPlaces& places);

// Nodes of the graph that a provider runs.
struct OrtPlacement {
  std::string provider;  // "CPUExecutionProvider"
  std::size_t n_nodes = 0;
  std::string operators;  // "Gelu, MatMul"
};

struct OrtModel {
  std::string graph;     // encoder_model.onnx of one window
  std::string compiled;  // file for what the provider makes of it; empty: it is not kept
  models::Dims dims;
};

// Keys with values.
using OrtProviderOptions = std::vector<std::pair<std::string, std::string>>;

struct OrtSettings {
  OrtPlaces places = {};
  OrtTarget target = {};
  OrtProviderOptions options = {};
  std::size_t n_threads = 1;  // of providers that compute on the CPU
  // Nodes that the provider leaves are run by another; otherwise the model is refused.
  bool takes_other_providers = false;
};

class OrtEncoder : public WindowEncoder {
 public:
  // Nodes by provider, the target's own first. Nodes that are compiled as one count as they were.
  virtual const std::vector<OrtPlacement>& placement() const = 0;
  // Whether what was kept of a compilation was used.
  virtual bool was_compiled() const = 0;
};

// "ONNX Runtime 1.24.1". Throws npu::DeviceError where the library or the target is not there.
std::string check_ort(const OrtSettings& settings);

// Throws npu::DeviceError where the provider refuses the graph or an option, and where nodes are
// left that takes_other_providers does not allow.
std::unique_ptr<OrtEncoder> open_ort(const OrtSettings& settings, const OrtModel& model);

}  // namespace wnpu::encoder
