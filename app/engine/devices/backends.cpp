#include "app/engine/devices/backends.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "encoder/npu/npu_partial_layers.h"
#include "npu/sim/sim_device.h"
#include "npu/xrt/xrt_device.h"

namespace wnpu::app {
namespace {

class NpuDevice : public EncoderDevice {
 public:
  NpuDevice(std::unique_ptr<npu::Device> device, const DeviceSetup& setup, std::string name,
            std::optional<ChosenOperator> chosen)
      : device_(std::move(device)),
        options_(setup.options()),
        preset_(npu::find_preset(options_.preset)),
        name_(std::move(name)),
        layer_options_(setup.npu()),
        chosen_(std::move(chosen)) {
    if (chosen_) chosen_->apply(layer_options_);
  }

  std::string_view name() const override { return name_; }

  std::unique_ptr<encoder::LayerBackend> make_layers(
      const LoadedModel& model, models::ThreadPool& pool,
      const std::optional<npu::LayerRange>& range) override {
    encoder::NpuOptions options = layer_options_;
    options.layers = range;
    return encoder::make_npu_backend(*device_, model.dims(), model.device_layers(), pool, options);
  }
  std::unique_ptr<encoder::PartialLayers> make_part(const LoadedModel& model,
                                                    const npu::LayerPart& part) override {
    return std::make_unique<encoder::NpuPartialLayers>(*device_, model.dims(),
                                                       model.device_layers(), part, layer_options_);
  }
  std::unique_ptr<npu::SplitModel> split_model(const models::Dims& dims) const override {
    if (&device_->target() != preset_.target) {
      throw npu::DeviceError(name_ + ": there is no time model of " +
                             std::string(device_->target().name));
    }
    try {
      return std::make_unique<npu::SplitModel>(
          npu::EncoderShape{dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state,
                            dims.n_audio_layer},
          dims.n_audio_ctx, layer_options_.precision, layer_options_.plan, layer_options_.tuned,
          preset_);
    } catch (const std::invalid_argument& error) {
      throw npu::DeviceError(error.what());
    }
  }
  std::uint64_t moved_bytes() const override {
    const npu::RunStats stats = device_->stats();
    return stats.to_device_bytes + stats.from_device_bytes;
  }
  void set_should_stop(std::function<bool()> should_stop) override {
    device_->set_should_stop(std::move(should_stop));
  }
  void reset_counts() override { device_->reset_stats(); }
  void describe(std::size_t n_windows, std::size_t n_layers, DeviceInfo& info) const override {
    const npu::RunStats stats = device_->stats();
    info.simulated = device_->is_simulated();
    NpuUse& use = info.npu.emplace();
    use.description = device_->description();
    use.plan = layer_options_.tuned
                   ? npu::kTunedPlanName
                   : npu::kPlanNames[static_cast<std::size_t>(layer_options_.plan)];
    use.precision = npu::precision_name(layer_options_.precision);
    if (info.simulated) use.preset = options_.preset;
    use.windows = n_windows;
    use.launches = stats.launches;
    use.submissions = stats.submissions;
    use.ddr_bytes = stats.ddr_read_bytes + stats.ddr_write_bytes;
    use.memory_bytes = stats.peak_buffer_bytes;
    use.memory_limit = options_.memory_limit;
    if (chosen_) use.operators = {chosen_->use};
    if (n_layers > 0) use.modelled_ms_per_layer = stats.modelled_ms / static_cast<double>(n_layers);
  }

 private:
  std::unique_ptr<npu::Device> device_;
  DeviceOptions options_;
  npu::TimePreset preset_;
  std::string name_;
  encoder::NpuOptions layer_options_;
  std::optional<ChosenOperator> chosen_;
};

using Nodes = std::span<const npu::ProbeResult>;

std::string always(Nodes /*nodes*/) { return ""; }

std::string why_no_npu(Nodes nodes) {
  const bool usable = std::ranges::any_of(nodes, [](const auto& found) { return found.usable; });
  if (usable) return "";
  const npu::ProbeResult& first = nodes.front();  // probe() is never empty
  return first.name == kNpuBackend ? first.reason : first.name + ": " + first.reason;
}

// "npu:1"; "npu" where none of several is meant.
std::string backend_name(std::string_view kind, std::optional<std::size_t> index) {
  return std::string(kind) + (index ? ":" + std::to_string(*index) : "");
}

std::unique_ptr<EncoderDevice> open_simulator(const DeviceSetup& setup,
                                              std::optional<std::size_t> index,
                                              std::size_t n_threads) {
  npu::SimDeviceOptions sim;
  sim.preset = setup.options().preset;
  sim.threads = static_cast<int>(n_threads);
  const std::optional<ChosenOperator>& chosen = setup.chosen_operator(true);
  if (chosen && chosen->runs_on_core()) sim.gelu = chosen->op;
  return npu_device(npu::open_sim_device(sim), setup, backend_name(kSimulatorBackend, index),
                    chosen);
}

std::unique_ptr<EncoderDevice> open_hardware(const DeviceSetup& setup,
                                             std::optional<std::size_t> index,
                                             std::size_t /*n_threads*/) {
  const std::string bdf = index ? npu::xrt_device_at(*index).bdf : "";
  return npu_device(
      npu::open_xrt_device({.bdf = bdf, .xclbin = setup.options().xclbin, .target = ""}), setup,
      backend_name(kNpuBackend, index), setup.chosen_operator(false));
}

// The file's calls and precision.
void take_plan_file(const DeviceOptions& options, encoder::NpuOptions& npu) {
  try {
    npu.tuned = npu::read_plan_file(options.plan_file);
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorCode::usage, std::string("npu plan file: ") + error.what());
  }
  npu.precision = npu.tuned->precision;
}

constexpr std::array kBackends = {
    Backend{"cpu", always, nullptr, ""},
    Backend{kNpuBackend, why_no_npu, open_hardware, "an NPU is there and opens"},
    Backend{kSimulatorBackend, always, open_simulator, ""},
};

}  // namespace

std::span<const Backend> backends() { return kBackends; }

const Backend* find_backend(std::string_view name) {
  const auto* const found = std::ranges::find(kBackends, name, &Backend::name);
  return found == kBackends.end() ? nullptr : found;
}

std::vector<std::string_view> backend_names() {
  std::vector<std::string_view> names;
  names.reserve(kBackends.size());
  for (const Backend& backend : kBackends) names.push_back(backend.name);
  return names;
}

bool may_be(std::string_view requested, std::string_view backend) {
  if (requested.starts_with(kWithCpu)) {
    return backend == kBackends.front().name || may_be(requested.substr(kWithCpu.size()), backend);
  }
  // "npu:0,npu:1" is of the kind npu.
  if (requested != kAutoDevice) return requested.substr(0, requested.find(':')) == backend;
  const Backend* const found = find_backend(backend);
  return found != nullptr && !found->automatic_reason.empty();
}

std::unique_ptr<EncoderDevice> npu_device(std::unique_ptr<npu::Device> device,
                                          const DeviceSetup& setup, std::string name,
                                          std::optional<ChosenOperator> chosen) {
  return std::make_unique<NpuDevice>(std::move(device), setup, std::move(name), std::move(chosen));
}

DeviceSetup::DeviceSetup(const DeviceOptions& options)
    : options_(options), npu_(npu_names(options)) {
  if (!options_.plan_file.empty()) take_plan_file(options_, npu_);
}

const std::optional<ChosenOperator>& DeviceSetup::chosen_operator(bool is_simulated) const {
  auto& known = operators_[is_simulated ? 1 : 0];
  if (!known) known = choose_operator(options_, is_simulated);
  return *known;
}

encoder::NpuOptions npu_names(const DeviceOptions& options) {
  const auto plan = npu::find_plan(options.plan);
  if (!plan) refuse_name("device.plan", npu::kPlanNames, options.plan);
  const auto precision = npu::find_precision(options.precision);
  if (!precision) refuse_name("device.precision", npu::kPrecisionNames, options.precision);
  const DeviceOptions normal;
  const bool is_normal = options.plan == normal.plan && options.precision == normal.precision;
  if (!options.plan_file.empty() && !is_normal) {
    throw Error(ErrorCode::usage,
                "npu plan file: expected no npu plan and no npu precision beside "
                "it, found " +
                    options.plan + " and " + options.precision);
  }
  encoder::NpuOptions npu{.precision = *precision, .plan = *plan};
  npu.memory_limit = options.memory_limit;
  return npu;
}

}  // namespace wnpu::app
