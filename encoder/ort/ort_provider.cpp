#include "encoder/ort/ort_provider.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <utility>

#include "npu/device.h"

namespace wnpu::encoder {
namespace {

using npu::DeviceError;

constexpr std::string_view kEnding = "ExecutionProvider";

// Provider of which more is known than the runtime tells.
struct Known {
  std::string_view name;  // short
  std::string_view
      appended;          // name for SessionOptionsAppendExecutionProvider (onnxruntime_c_api.h)
  std::string_view get;  // how to get it
};
constexpr std::array kKnown = {
    Known{"cpu", "", ""},
    Known{"openvino", "OpenVINO",
          "pip install onnxruntime-openvino; or onnxruntime and onnxruntime-ep-openvino, whose "
          "library --ort-plugin names (Intel's CPUs, GPUs and NPUs)"},
    Known{"vitisai", "VitisAI", "AMD's Ryzen AI Software, whose ONNX Runtime --ort-library names"},
    Known{"qnn", "QNN", "pip install onnxruntime-qnn, whose library --ort-plugin names"},
    Known{"coreml", "CoreML", "ONNX Runtime for macOS"},
    Known{"cuda", "CUDA", "pip install onnxruntime-gpu"},
    Known{"webgpu", "WebGPU", "pip install onnxruntime-webgpu"},
    Known{"xnnpack", "XNNPACK", "an ONNX Runtime that was built with it"},
    Known{"azure", "AZURE", ""},
};

const Known* find_known(std::string_view name) {
  const auto found = std::ranges::find(kKnown, name, &Known::name);
  return found == kKnown.end() ? nullptr : &*found;
}

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

std::string_view kind_of(OrtHardwareDeviceType type) {
  switch (type) {
    case OrtHardwareDeviceType_CPU:
      return "CPU";
    case OrtHardwareDeviceType_GPU:
      return "GPU";
    case OrtHardwareDeviceType_NPU:
      return "NPU";
  }
  return "device";
}

// Device of a provider, as the runtime tells it.
struct Seen {
  const OrtEpDevice* device = nullptr;
  std::string provider;  // short
  std::string kind;      // "NPU"
  std::string own_name;  // the provider's name of it: "GPU.1"; empty: none

  bool is(const std::string& asked) const {
    return asked.empty() || lower(asked) == lower(kind) || lower(asked) == lower(own_name);
  }
};

// The provider's name of a device, among what it tells of it: OpenVINO's "ov_device".
std::string own_name_of(const OrtApi& api, const OrtEpDevice* device) {
  const char* const value = api.GetKeyValue(api.EpDevice_EpMetadata(device), "ov_device");
  return value == nullptr ? "" : value;
}

std::vector<Seen> seen_devices(const OrtLibrary& library) {
  const OrtApi& api = library.api();
  std::vector<Seen> all;
  for (const OrtEpDevice* device : library.devices()) {
    all.push_back({device, short_provider_name(api.EpDevice_EpName(device)),
                   std::string(kind_of(api.HardwareDevice_Type(api.EpDevice_Device(device)))),
                   own_name_of(api, device)});
  }
  return all;
}

// The first device that is the target's; null: none.
const OrtEpDevice* find_device(const OrtLibrary& library, const OrtTarget& target) {
  for (const Seen& seen : seen_devices(library)) {
    if (seen.provider == target.provider && seen.is(target.device)) return seen.device;
  }
  return nullptr;
}

bool is_built_in(const OrtLibrary& library, const std::string& provider) {
  return std::ranges::any_of(library.built_in(), [&](const std::string& name) {
    return short_provider_name(name) == provider;
  });
}

[[noreturn]] void fail_absent(const OrtLibrary& library, const OrtTarget& target) {
  std::string found;
  for (const std::string& name : library.built_in()) found += " " + short_provider_name(name);
  for (const Seen& seen : seen_devices(library)) {
    if (seen.provider != "cpu") found += " " + seen.provider + ":" + seen.kind;
  }
  const Known* const known = find_known(target.provider);
  const std::string_view get = known == nullptr ? "" : known->get;
  throw DeviceError("ort:" + target.text() + ": expected a provider of " + library.version() +
                    " (" + library.file() + ") and a device of it, found" + found +
                    (get.empty() ? "" : " (hint: " + std::string(get) + ")"));
}

void add_missing(OrtProviderOptions& options, const std::string& key, const std::string& value) {
  const auto has_key = [&](const auto& option) { return option.first == key; };
  if (std::ranges::none_of(options, has_key)) options.emplace_back(key, value);
}

struct OptionPointers {
  std::vector<const char*> keys;
  std::vector<const char*> values;

  explicit OptionPointers(const OrtProviderOptions& options) {
    for (const auto& [key, value] : options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
};

// A provider that is part of the library; where it computes on the CPU, with the host's threads.
void append_built_in(const OrtLibrary& library, const OrtSettings& settings,
                     OrtSessionOptions* session) {
  OrtProviderOptions options = settings.options;
  const OrtApi& api = library.api();
  const OrtTarget& target = settings.target;
  if (target.provider == "openvino") {
    const std::string device = target.device.empty() ? "CPU" : target.device;
    add_missing(options, "device_type", device);
    if (device == "CPU") {  // fp32, as our own encoder computes in it, on CPUs with bf16 as well
      add_missing(options, "precision", "FP32");
      add_missing(options, "num_of_threads", std::to_string(settings.n_threads));
    }
  } else if (!target.device.empty()) {
    add_missing(options, "device_id", target.device);
  }
  const OptionPointers given(options);
  if (target.provider == "cuda") {
    OrtCUDAProviderOptionsV2* made = nullptr;
    library.check(api.CreateCUDAProviderOptions(&made), "ort:cuda");
    const auto cuda = library.own(made, api.ReleaseCUDAProviderOptions);
    library.check(api.UpdateCUDAProviderOptions(made, given.keys.data(), given.values.data(),
                                                given.keys.size()),
                  "ort:cuda: options");
    return library.check(api.SessionOptionsAppendExecutionProvider_CUDA_V2(session, made),
                         "ort:cuda");
  }
  const Known* const known = find_known(target.provider);
  const std::string name(known == nullptr ? target.provider : known->appended);
  library.check(api.SessionOptionsAppendExecutionProvider(session, name.c_str(), given.keys.data(),
                                                          given.values.data(), given.keys.size()),
                "ort:" + target.text());
}

// Name to register a plug-in's library by: the provider's own where the file is named after a known
// one, else the file's.
std::string name_of_plugin(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  for (const Known& known : kKnown) {
    const bool is_its = known.name != "cpu" && stem.find(known.name) != std::string::npos;
    if (is_its) return std::string(known.appended) + std::string(kEnding);
  }
  return stem;
}

}  // namespace

std::string short_provider_name(std::string_view name) {
  if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
  return lower(name);
}

const OrtLibrary& open_library(const OrtPlaces& places) {
  const OrtLibrary& library = OrtLibrary::open(places.library);
  for (const std::string& plugin : places.plugins) {
    library.register_plugin(name_of_plugin(plugin), plugin);
  }
  return library;
}

void check_provider(const OrtLibrary& library, const OrtTarget& target) {
  if (target.provider == "cpu" && target.device.empty()) return;
  if (find_device(library, target) != nullptr) return;
  if (target.provider == "cpu" || !is_built_in(library, target.provider)) {
    fail_absent(library, target);
  }
}

void append_provider(const OrtLibrary& library, const OrtSettings& settings,
                     OrtSessionOptions* session) {
  const OrtTarget& target = settings.target;
  check_provider(library, target);
  const OrtProviderOptions& options = settings.options;
  if (target.provider == "cpu") {
    if (!options.empty()) throw DeviceError("ort:cpu: expected no options, found --ort-option");
    return;  // which every session has
  }
  const OrtEpDevice* const device = find_device(library, target);
  if (device == nullptr) return append_built_in(library, settings, session);
  const OptionPointers given(options);
  library.check(library.api().SessionOptionsAppendExecutionProvider_V2(
                    session, &library.env(), &device, 1, given.keys.data(), given.values.data(),
                    given.keys.size()),
                "ort:" + target.text());
}

OrtProviders list_ort_providers(const OrtPlaces& places) try {
  const OrtLibrary& library = open_library(places);
  const OrtApi& api = library.api();
  OrtProviders all{library.version(), library.file(), "", {}};
  for (const Seen& seen : seen_devices(library)) {
    const OrtHardwareDevice* const hardware = api.EpDevice_Device(seen.device);
    const std::string vendor = api.HardwareDevice_Vendor(hardware);
    const std::string name =
        seen.provider == "cpu"
            ? seen.provider
            : seen.provider + ":" + (seen.own_name.empty() ? seen.kind : seen.own_name);
    all.providers.push_back({name, api.EpDevice_EpVendor(seen.device),
                             vendor + (vendor.empty() ? "" : " ") + seen.kind});
  }
  for (const std::string& built_in : library.built_in()) {
    const std::string name = short_provider_name(built_in);
    const auto is_listed = [&](const OrtProvider& provider) {
      return provider.name.substr(0, provider.name.find(':')) == name;
    };
    if (std::ranges::any_of(all.providers, is_listed)) continue;
    all.providers.push_back({name, "", "tells its devices when it opens"});
  }
  return all;
} catch (const DeviceError& error) {
  return {"", places.library, error.what(), {}};
}

}  // namespace wnpu::encoder
