#include "npu/search/variant_cost.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "npu/control/control_program.h"
#include "npu/design/layer_design.h"
#include "npu/sim/check.h"
#include "npu/sim/compile_call.h"

namespace wnpu::npu {
namespace {

// Every call fits where its panels do; the rest of check() takes as long as the simulator.
std::string panel_fault(const Design& design) {
  for (const Region& region : design.regions) {
    const std::size_t room = design.memories[region.memory].bytes;
    if (region.offset + region.bytes <= room) continue;
    return region.name + ": expected at most " + std::to_string(room) + " bytes, found " +
           std::to_string(region.offset + region.bytes);
  }
  return "";
}

// All of work(0) .. work(n - 1), each once, by any thread; throws what one of them threw.
void share_among(std::size_t n_threads, std::size_t n,
                 const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> errors(n);
  const auto run_one = [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  const auto run = [&] {
    for (std::size_t i = next++; i < n; i = next++) run_one(i);
  };
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < std::min(n_threads, n)) others.emplace_back(run);
  } catch (const std::system_error&) {  // the system gives no more
  }
  run();
  others.clear();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace

VariantCosts::VariantCosts(const WholeEncoder& whole, const TimePreset& preset,
                           const Predictor* predictor, std::size_t n_threads)
    : whole_(whole), preset_(preset), predictor_(predictor), n_threads_(n_threads) {}

LayerKey VariantCosts::key_of(const EncoderVariant& variant, const LayerVariant& layer) const {
  return {pooled_frames(whole_.frames, variant.pooling), layer.heads, layer.hidden,
          layer.precision};
}

LayerCost VariantCosts::layer_cost(const LayerKey& key) const {
  LayerCost cost;
  const LayerShape shape{key.frames, whole_.width, key.heads, key.hidden};
  try {
    const LayerGeometry geometry = layer_geometry(*preset_.target, shape, key.precision);
    cost.weights_bytes = geometry.weights_bytes;
    cost.scratch_bytes = geometry.scratch_bytes;
    cost.states_bytes = geometry.states_bytes;
    const Design design = layer_design(geometry);
    cost.refusal = panel_fault(design);
    if (!cost.refusal.empty()) return cost;
    if (predictor_ != nullptr) {
      cost.ms = predicted_ms(*predictor_, {&design, 1}, preset_);
      return cost;
    }
    const std::vector<std::string> problems = check(design);
    if (!problems.empty()) {
      cost.refusal = problems.front();
      return cost;
    }
    const TimedCall timed = time_call(design, preset_);
    cost.ms = timed.report.ms + preset_.list_launch_us * 1e-3;
    cost.instruction_bytes = encode(timed.program.program).size();
  } catch (const std::invalid_argument& error) {  // a shape that no call can have
    cost.refusal = error.what();
  } catch (const SimulationError& error) {
    cost.refusal = error.what();
  } catch (const ControlError& error) {
    cost.refusal = error.what();
  }
  return cost;
}

std::vector<VariantCost> VariantCosts::costs(std::span<const EncoderVariant> variants) {
  std::set<LayerKey> wanted;
  for (const EncoderVariant& variant : variants) {
    for (const LayerVariant& layer : variant.layers) {
      const LayerKey key = key_of(variant, layer);
      if (!known_.contains(key)) wanted.insert(key);
    }
  }
  const std::vector<LayerKey> keys(wanted.begin(), wanted.end());
  std::vector<LayerCost> found(keys.size());
  share_among(n_threads_, keys.size(), [&](std::size_t i) { found[i] = layer_cost(keys[i]); });
  for (std::size_t i = 0; i < keys.size(); ++i) known_.emplace(keys[i], std::move(found[i]));
  std::vector<VariantCost> costs;
  for (const EncoderVariant& variant : variants) costs.push_back(sum(variant));
  return costs;
}

VariantCost VariantCosts::cost(const EncoderVariant& variant) {
  return costs({&variant, 1}).front();
}

VariantCost VariantCosts::sum(const EncoderVariant& variant) const {
  VariantCost cost;
  std::size_t scratch = 0;
  std::size_t states = 0;
  std::set<LayerKey> calls;
  for (const LayerVariant& layer : variant.layers) {
    const LayerKey key = key_of(variant, layer);
    const LayerCost& one = known_.at(key);
    if (cost.refusal.empty() && !one.refusal.empty()) {
      cost.refusal = "layer " + std::to_string(layer.layer) + ": " + one.refusal;
    }
    cost.ms += one.ms;
    cost.memory_bytes += one.weights_bytes;
    if (calls.insert(key).second) cost.memory_bytes += one.instruction_bytes;
    scratch = std::max(scratch, one.scratch_bytes);
    states = one.states_bytes;
  }
  cost.memory_bytes += scratch + 2 * states;
  return cost;
}

std::map<LayerKey, std::string> VariantCosts::refusals() const {
  std::map<LayerKey, std::string> refused;
  for (const auto& [key, cost] : known_) {
    if (!cost.refusal.empty()) refused.emplace(key, cost.refusal);
  }
  return refused;
}

}  // namespace wnpu::npu
