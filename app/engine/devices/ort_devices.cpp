#include "app/engine/devices/ort_devices.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>

#include "app/engine/devices/ort_graph.h"
#include "models/base/stage_timer.h"
#include "npu/device.h"
#include "npu/fnv1a.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

// Target of "ort:openvino:NPU" or "cpu,ort:openvino:NPU", the provider in any case.
encoder::OrtTarget target_of(const std::string& requested) {
  std::string name = requested.substr(requested.find(kOrtBackend) + kOrtBackend.size());
  encoder::OrtTarget target;
  if (name.empty()) return target;
  name.erase(0, 1);
  const std::size_t end = std::min(name.find(':'), name.size());
  target.provider = name.substr(0, end);
  for (char& c : target.provider) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (end < name.size()) target.device = name.substr(end + 1);
  return target;
}

// Whether a compilation takes time that keeping it saves: not for CPUs.
bool compiles(const encoder::OrtTarget& target) {
  const bool is_cpu = target.provider == "cpu" || target.device == "CPU";
  return !is_cpu && !(target.provider == "openvino" && target.device.empty());
}

class OrtDevices final : public EncoderSet {
 public:
  explicit OrtDevices(const DeviceOptions& options)
      : settings_{ort_places(options.ort), target_of(options.requested),
                  ort_provider_options(options.ort), 1, options.falls_back},
        weights_(options.ort.weights),
        name_(std::string(kOrtBackend) + ":" + settings_.target.text()),
        version_(encoder::check_ort(settings_)) {}

  void load(const LoadedModel& model, std::size_t n_threads) override;
  std::vector<NamedEncoder> begin_file(std::size_t /*n_at_once*/) override {
    return {{name_, encoder_.get()}};
  }
  double window_ms() const override;
  void describe(std::vector<DeviceUse>& devices, DeviceInfo& info) const override;

 private:
  fs::path kept(const std::string& ending) const;

  encoder::OrtSettings settings_;
  std::string weights_;
  std::string name_;
  std::string version_;
  models::Dims dims_;
  fs::path folder_;
  std::unique_ptr<encoder::OrtEncoder> encoder_;
};

// File beside the graph, of this provider as it is now: its library, plug-ins and options.
fs::path OrtDevices::kept(const std::string& ending) const {
  npu::Fnv1a hash;
  hash.add_bytes(version_ + "\n" + name_ + "\n" + std::to_string(settings_.n_threads) + "\n");
  for (const auto& [key, value] : settings_.options) hash.add_bytes(key + "=" + value + "\n");
  for (const std::string& plugin : settings_.places.plugins) {
    std::error_code error;
    hash.add_bytes(plugin + "\n").add(fs::file_size(plugin, error));
  }
  return folder_ / (std::to_string(hash.value()) + ending);
}

// One after another in a process: what is kept is made once, under one name.
void OrtDevices::load(const LoadedModel& model, std::size_t n_threads) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  settings_.n_threads = n_threads;
  dims_ = model.dims();
  folder_ = ort_graph_folder(model, weights_);
  encoder_ = encoder::open_ort(settings_,
                               {(folder_ / "encoder_model.onnx").string(),
                                compiles(settings_.target) ? kept(".onnx").string() : "", dims_});
}

// Measured on an empty window, to two digits, and kept: windows are dealt out by it, in every run
// alike.
double OrtDevices::window_ms() const {
  const fs::path file = kept(".window_ms");
  double kept_ms = 0;
  if (std::ifstream(file) >> kept_ms && kept_ms > 0) return kept_ms;
  const models::LogMel empty{models::Matrix(dims_.n_mels, dims_.n_mel_frames())};
  models::EncoderStates states;
  encoder_->encode(empty, states);  // memory is allocated in the first
  const auto start = models::Clock::now();
  encoder_->encode(empty, states);
  const double measured_ms = 1e3 * models::seconds_since(start);
  const double digit = std::pow(10, std::floor(std::log10(measured_ms)) - 1);
  const double rounded_ms = digit * std::max(1.0, std::round(measured_ms / digit));
  std::ofstream(file) << rounded_ms << '\n';
  return rounded_ms;
}

void OrtDevices::describe(std::vector<DeviceUse>& devices, DeviceInfo& info) const {
  if (devices.size() == 1) devices.front().name = name_;
  OrtUse& use = info.ort.emplace();
  use.version = version_;
  use.weights = weights_;
  if (!encoder_) return;
  use.was_compiled = encoder_->was_compiled();
  for (const encoder::OrtPlacement& part : encoder_->placement()) {
    use.nodes.push_back({part.provider, part.n_nodes, part.operators});
  }
}

}  // namespace

encoder::OrtProviderOptions ort_provider_options(const OrtOptions& options) {
  encoder::OrtProviderOptions all;
  for (const std::string& option : options.options) {
    const std::size_t sign = option.find('=');
    if (sign == 0 || sign == std::string::npos) {
      throw Error("device.ort.options", ": expected KEY=VALUE, found " + option);
    }
    all.emplace_back(option.substr(0, sign), option.substr(sign + 1));
  }
  return all;
}

encoder::OrtPlaces ort_places(const OrtOptions& options) {
  return {options.library, options.plugins};
}

std::unique_ptr<EncoderSet> open_ort_device(const DeviceSetup& setup,
                                            std::span<const std::size_t> /*indexes*/,
                                            std::size_t /*n_threads*/) {
  return std::make_unique<OrtDevices>(setup.options());
}

}  // namespace wnpu::app
