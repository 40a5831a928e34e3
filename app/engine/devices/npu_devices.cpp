#include "app/engine/devices/npu_devices.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "encoder/npu/pipeline_parallel.h"
#include "encoder/npu/tensor_parallel.h"
#include "npu/plans/split_model.h"
#include "npu/sim/sim_device.h"
#include "npu/xrt/xrt_device.h"

namespace wnpu::app {
namespace {

using npu::Split;

std::optional<Stretch> stretch(std::size_t first, std::size_t count) { return {{first, count}}; }

DeviceUse use_of(const encoder::NpuArray& array) {
  DeviceUse use;
  use.name = array.name;
  use.windows = array.n_windows;
  use.failure = array.failure;
  use.threads = array.pool ? static_cast<unsigned>(array.pool->n_threads()) : 0;
  if (array.layers) use.layers = stretch(array.layers->first, array.layers->count);
  if (array.part) {
    use.heads = stretch(array.part->first_head, array.part->heads);
    use.hidden = stretch(array.part->first_hidden, array.part->hidden);
  }
  use.moved_bytes = array.moved_bytes();
  use.exchanged_bytes = array.exchanged_bytes;
  if (array.n_windows > 0) use.window_s = array.busy_s / static_cast<double>(array.n_windows);
  return use;
}

class NpuDevices final : public EncoderSet {
 public:
  NpuDevices(std::vector<encoder::NpuArray> arrays, const DeviceSetup& setup,
             const std::optional<ChosenOperator>& chosen)
      : arrays_(std::move(arrays)),
        options_(setup.options()),
        preset_(npu::find_preset(options_.preset)),
        layer_options_(setup.npu()),
        chosen_(chosen),
        asked_(arrays_.size() > 1 ? asked_split(options_) : Split::windows) {
    if (chosen_) chosen_->apply(layer_options_);
  }

  std::size_t n_devices() const override { return arrays_.size(); }
  void prepare(const LoadedModel& model) const override { model.device_layers(); }
  void load(const LoadedModel& model, std::size_t n_threads) override;
  std::vector<NamedEncoder> begin_file(std::size_t n_at_once) override;
  double window_ms() const override { return split_model()->window_ms(); }
  void set_should_stop(std::function<bool()> should_stop) override;
  void describe(std::vector<DeviceUse>& devices, DeviceInfo& info) const override;

 private:
  std::unique_ptr<npu::SplitModel> split_model() const;
  void divide(Split split);
  void choose_split(std::size_t n_windows);
  NpuUse use() const;
  void describe_split(SplitUse& use) const;

  std::vector<encoder::NpuArray> arrays_;
  DeviceOptions options_;
  npu::HardwareModel preset_;
  encoder::NpuOptions layer_options_;
  std::optional<ChosenOperator> chosen_;
  std::optional<Split> asked_;
  const LoadedModel* model_ = nullptr;
  std::vector<std::unique_ptr<encoder::WindowEncoder>> encoders_;
  Split split_ = Split::windows;
  std::unique_ptr<npu::SplitModel> split_model_;
  std::vector<npu::SplitCost> costs_;  // by which the split was chosen
  std::size_t n_at_once_ = 0;          // for which
};

void NpuDevices::load(const LoadedModel& model, std::size_t n_threads) {
  encoders_.clear();
  model_ = &model;
  for (encoder::NpuArray& array : arrays_) {
    array.pool = std::make_unique<models::ThreadPool>(n_threads);
  }
  if (asked_) divide(*asked_);
}

void NpuDevices::divide(Split split) {
  encoders_.clear();  // their buffers before those of the next
  for (encoder::NpuArray& array : arrays_) {
    array.layers.reset();
    array.part.reset();
  }
  const encoder::NpuModel model{model_->dims(), model_->stem_and_norm(), model_->device_layers(),
                                layer_options_};
  switch (split) {
    case Split::windows:
      for (encoder::NpuArray& array : arrays_) {
        encoders_.push_back(std::make_unique<encoder::ArrayEncoder>(array, model));
      }
      break;
    case Split::layers:
      encoders_.push_back(std::make_unique<encoder::PipelineParallel>(arrays_, model));
      break;
    case Split::heads:
      encoders_.push_back(std::make_unique<encoder::TensorParallel>(arrays_, model));
      break;
  }
  split_ = split;
}

std::unique_ptr<npu::SplitModel> NpuDevices::split_model() const {
  const encoder::NpuArray& array = arrays_.front();
  if (&array.device->target() != preset_.target) {
    throw npu::DeviceError(array.name + ": there is no time model of " +
                           std::string(array.device->target().name));
  }
  const models::Dims& dims = model_->dims();
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

void NpuDevices::choose_split(std::size_t n_windows) {
  if (!encoders_.empty() && n_windows == n_at_once_) return;
  if (!split_model_) split_model_ = split_model();
  n_at_once_ = n_windows;
  try {
    costs_ = split_model_->costs(arrays_.size(), n_windows, options_.memory_limit.value_or(0));
    const Split best = npu::best_split(costs_).split;
    if (encoders_.empty() || best != split_) divide(best);
  } catch (const std::invalid_argument& error) {
    throw npu::DeviceError(std::string("device split auto: ") + error.what());
  }
}

std::vector<NamedEncoder> NpuDevices::begin_file(std::size_t n_at_once) {
  for (encoder::NpuArray& array : arrays_) array.failure.clear();  // it may work again
  if (!asked_) choose_split(n_at_once);
  for (encoder::NpuArray& array : arrays_) array.begin_file();  // behind the weights' way
  std::vector<NamedEncoder> named;
  for (std::size_t i = 0; i < encoders_.size(); ++i) {
    named.push_back({arrays_[i].name, encoders_[i].get()});
  }
  return named;
}

void NpuDevices::set_should_stop(std::function<bool()> should_stop) {
  for (encoder::NpuArray& array : arrays_) {
    array.device->set_should_stop(should_stop);
    if (array.pool) array.pool->set_should_stop(should_stop);
  }
}

NpuUse NpuDevices::use() const {
  const encoder::NpuArray& first = arrays_.front();
  NpuUse use;
  use.description = first.device->description();
  use.plan = layer_options_.tuned ? npu::kTunedPlanName : npu::plan_name(layer_options_.plan);
  use.precision = npu::precision_name(layer_options_.precision);
  if (first.device->is_simulated()) use.preset = options_.preset;
  use.memory_limit = options_.memory_limit;
  if (chosen_) use.operators = {chosen_->use};
  double modelled_ms = 0;
  std::size_t n_layers = 0;
  for (const encoder::NpuArray& array : arrays_) {
    const npu::RunStats stats = array.device->stats();
    // Every array had a part in each window of a model that is divided.
    use.windows = split_ == Split::windows ? use.windows + array.n_windows
                                           : std::max(use.windows, array.n_windows);
    use.launches += stats.launches;
    use.submissions += stats.submissions;
    use.ddr_bytes += stats.ddr_read_bytes + stats.ddr_write_bytes;
    use.memory_bytes += stats.peak_buffer_bytes;
    if (array.n_windows == 0) continue;
    modelled_ms += stats.modelled_ms;
    n_layers +=
        array.n_windows * (array.layers ? array.layers->count : model_->dims().n_audio_layer);
  }
  if (n_layers > 0) use.modelled_ms_per_layer = modelled_ms / static_cast<double>(n_layers);
  return use;
}

void NpuDevices::describe(std::vector<DeviceUse>& devices, DeviceInfo& info) const {
  devices.clear();
  for (const encoder::NpuArray& array : arrays_) devices.push_back(use_of(array));
  info.simulated = arrays_.front().device->is_simulated();
  info.npu = use();
  if (arrays_.size() > 1 && !encoders_.empty()) describe_split(info.split.emplace());
}

void NpuDevices::describe_split(SplitUse& use) const {
  use.requested = asked_ ? npu::split_name(*asked_) : kAutoDevice;
  use.used = npu::split_name(split_);
  if (costs_.empty()) return;
  use.reason = npu::split_reason(costs_, arrays_.size(), n_at_once_);
  for (const npu::SplitCost& cost : costs_) {
    use.ways.push_back({std::string(npu::split_name(cost.split)), cost.modelled_ms,
                        cost.exchanged_bytes, cost.device_bytes, cost.refusal});
  }
}

// "npu:1"; "npu" where none of several is meant.
template <typename Open>
std::vector<encoder::NpuArray> opened(std::string_view kind, std::span<const std::size_t> indexes,
                                      const Open& open) {
  std::vector<encoder::NpuArray> arrays;
  if (indexes.empty()) arrays.push_back({std::string(kind), open(std::nullopt)});
  for (const std::size_t index : indexes) {
    arrays.push_back({std::string(kind) + ":" + std::to_string(index), open(index)});
  }
  return arrays;
}

using Index = std::optional<std::size_t>;

}  // namespace

std::unique_ptr<EncoderSet> npu_devices(std::vector<encoder::NpuArray> arrays,
                                        const DeviceSetup& setup,
                                        const std::optional<ChosenOperator>& chosen) {
  const std::string_view first = arrays.front().device->description();
  for (const encoder::NpuArray& array : arrays) {
    if (array.device->description() == first) continue;
    throw npu::DeviceError(setup.options().requested + ": expected devices of one kind, found " +
                           std::string(first) + " and " + std::string(array.device->description()));
  }
  return std::make_unique<NpuDevices>(std::move(arrays), setup, chosen);
}

std::unique_ptr<EncoderSet> open_npus(const DeviceSetup& setup,
                                      std::span<const std::size_t> indexes,
                                      std::size_t /*n_threads*/) {
  const auto open = [&](Index index) -> std::unique_ptr<npu::Device> {
    const std::string bdf = index ? npu::xrt_device_at(*index).bdf : "";
    return npu::open_xrt_device({.bdf = bdf, .xclbin = setup.options().xclbin});
  };
  return npu_devices(opened(kNpuBackend, indexes, open), setup, setup.chosen_operator(false));
}

std::unique_ptr<EncoderSet> open_simulators(const DeviceSetup& setup,
                                            std::span<const std::size_t> indexes,
                                            std::size_t n_threads) {
  npu::SimDeviceOptions sim;
  sim.preset = setup.options().preset;
  sim.threads = static_cast<int>(
      std::max<std::size_t>(1, n_threads / std::max<std::size_t>(1, indexes.size())));
  const std::optional<ChosenOperator>& chosen = setup.chosen_operator(true);
  if (chosen && chosen->runs_on_core()) sim.gelu = chosen->op;
  const auto open = [&](Index /*index*/) -> std::unique_ptr<npu::Device> {
    return npu::open_sim_device(sim);
  };
  return npu_devices(opened(kSimulatorBackend, indexes, open), setup, chosen);
}

}  // namespace wnpu::app
