#include "npu/plans/split_model.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "npu/sim/compile_call.h"

namespace wnpu::npu {
namespace {

std::string way_text(double ms) {
  char text[32];
  (void)std::snprintf(text, sizeof text, "%.1f ms", ms);
  return text;
}

// 0: enough.
void require_split_memory(std::uint64_t needed, std::uint64_t there) {
  if (there == 0 || needed <= there) return;
  throw std::invalid_argument("expected at most " + std::to_string(there) +
                              " bytes a device, found " + std::to_string(needed));
}

}  // namespace

SplitModel::SplitModel(const EncoderShape& shape, std::size_t frames, Precision precision,
                       Plan plan, const std::optional<PlanFile>& tuned, const HardwareModel& preset)
    : shape_(shape),
      layer_shape_{frames, shape.width, shape.heads, shape.hidden},
      precision_(precision),
      plan_(plan),
      tuned_(tuned),
      preset_(preset),
      states_bytes_(layer_geometry(*preset.target, layer_shape_, precision).states_bytes) {}

double SplitModel::host_ms(std::uint64_t bytes) const {
  return 3 * static_cast<double>(bytes) / (preset_.ddr_read_gb_per_s * 1e6);
}

const SplitModel::Layer& SplitModel::whole() {
  if (whole_) return *whole_;
  const TunedLayer layer =
      tuned_ ? tuned_->layer()
             : TunedLayer{layer_geometry(*preset_.target, layer_shape_, precision_), {}};
  Layer found{0, layer.geometry.weights_bytes,
              layer.geometry.scratch_bytes + 2 * layer.geometry.states_bytes};
  for (const LayerCall& call : tuned_ ? tuned_->plan.calls : layer_calls(plan_)) {
    found.ms +=
        time_call(layer_design(layer, call), preset_).report.ms + preset_.list_launch_us / 1e3;
    ++found.n_calls;
  }
  return whole_.emplace(found);
}

const SplitModel::Layer& SplitModel::part(std::size_t n_devices) {
  const auto known = parts_.find(n_devices);
  if (known != parts_.end()) return known->second;
  // The first part is the largest, of heads and of hidden columns.
  const LayerPart largest = divide_heads(layer_shape_, n_devices).front();
  const LayerGeometry geometry = part_geometry(*preset_.target, layer_shape_, precision_, largest);
  Layer found{0, geometry.weights_bytes, geometry.scratch_bytes + 2 * geometry.states_bytes};
  for (const LayerCall& call : part_calls()) {
    found.ms +=
        time_call(layer_design(geometry, call), preset_).report.ms + preset_.launch_us / 1e3;
  }
  return parts_.emplace(n_devices, found).first->second;
}

double SplitModel::window_ms() {
  return static_cast<double>(shape_.layers) * whole().ms + host_ms(2 * states_bytes_);
}

void SplitModel::cost_windows(std::size_t n_devices, std::size_t n_windows, SplitCost& cost) {
  const std::size_t rounds = (n_windows + n_devices - 1) / n_devices;
  cost.modelled_ms = static_cast<double>(rounds) * window_ms();
  cost.device_bytes = shape_.layers * whole().weights_bytes + whole().other_bytes;
}

// Windows follow each other at the pace of the longest stage, the first, and the last one leaves
// through all of them.
void SplitModel::cost_layers(std::size_t n_devices, std::size_t n_windows, SplitCost& cost) {
  const auto stages = divide_layers(shape_.layers, n_devices);
  // A call by itself is no list.
  const double alone_ms = (preset_.launch_us - preset_.list_launch_us) / 1e3;
  const bool is_alone = whole().n_calls == 1 && stages.front().count == 1;
  const auto n_alone = static_cast<double>(
      whole().n_calls == 1 ? std::ranges::count(stages, std::size_t{1}, &LayerRange::count) : 0);
  const double longest = static_cast<double>(stages.front().count) * whole().ms +
                         host_ms(2 * states_bytes_) + (is_alone ? alone_ms : 0);
  const double through = static_cast<double>(shape_.layers) * whole().ms +
                         static_cast<double>(n_devices) * host_ms(2 * states_bytes_) +
                         n_alone * alone_ms;
  cost.modelled_ms = through + static_cast<double>(n_windows - 1) * longest;
  cost.exchanged_bytes = n_windows * (n_devices - 1) * 2 * states_bytes_;
  cost.device_bytes = stages.front().count * whole().weights_bytes + whole().other_bytes;
}

// Both halves of a layer take the states to every device and its part of the sum back.
void SplitModel::cost_heads(std::size_t n_devices, std::size_t n_windows, SplitCost& cost) {
  const std::uint64_t layer_bytes = std::uint64_t{2} * n_devices * 2 * states_bytes_;
  cost.modelled_ms =
      static_cast<double>(n_windows * shape_.layers) * (part(n_devices).ms + host_ms(layer_bytes));
  cost.exchanged_bytes = n_windows * (shape_.layers * layer_bytes - 2 * states_bytes_);
  cost.device_bytes = shape_.layers * part(n_devices).weights_bytes + part(n_devices).other_bytes;
}

void SplitModel::cost(std::size_t n_devices, std::size_t n_windows, SplitCost& cost) {
  if (!tuned_ && plan_ != Plan::fused && plan_ != Plan::batched) {
    throw std::invalid_argument("the CPU's part of plan " + std::string(plan_name(plan_)) +
                                " is not modelled");
  }
  switch (cost.split) {
    case Split::windows:
      return cost_windows(n_devices, n_windows, cost);
    case Split::layers:
      return cost_layers(n_devices, n_windows, cost);
    case Split::heads:
      if (tuned_ || plan_ != Plan::fused) {
        throw std::invalid_argument("its calls are those of plan fused, cut in two");
      }
      return cost_heads(n_devices, n_windows, cost);
  }
}

std::vector<SplitCost> SplitModel::costs(std::size_t n_devices, std::size_t n_windows,
                                         std::uint64_t memory_bytes) {
  std::vector<SplitCost> all(kSplitNames.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].split = static_cast<Split>(i);
    try {
      cost(n_devices, n_windows, all[i]);
      require_split_memory(all[i].device_bytes, memory_bytes);
    } catch (const std::invalid_argument& error) {
      all[i].refusal = error.what();
    }
  }
  return all;
}

const SplitCost& best_split(std::span<const SplitCost> costs) {
  const SplitCost* best = nullptr;
  std::string refusals;
  for (const SplitCost& cost : costs) {
    if (!cost.refusal.empty()) {
      refusals += refusals.empty() ? "" : "; ";
      refusals += split_name(cost.split);
      refusals += ": " + cost.refusal;
    } else if (best == nullptr || cost.modelled_ms < best->modelled_ms) {
      best = &cost;
    }
  }
  if (best == nullptr) throw std::invalid_argument(refusals);
  return *best;
}

std::string split_reason(std::span<const SplitCost> costs, std::size_t n_devices,
                         std::size_t n_windows) {
  std::string text = std::to_string(n_windows);
  text += n_windows == 1 ? " window at once on " : " windows at once on ";
  text += std::to_string(n_devices) + " devices, modelled: ";
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (i > 0) text += ", ";
    text += split_name(costs[i].split);
    text += " " + (costs[i].refusal.empty() ? way_text(costs[i].modelled_ms)
                                            : "cannot be (" + costs[i].refusal + ")");
  }
  return text;
}

}  // namespace wnpu::npu
