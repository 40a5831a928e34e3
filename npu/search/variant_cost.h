// Costs of a variant on the array: its time by a predictor (npu/predict) or by the simulator, and
// the bytes that a device holds for it. Modelled, all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "npu/predict/predictor.h"
#include "npu/search/encoder_variant.h"

namespace wnpu::npu {

// Layers of one key are the same call.
struct LayerKey {
  std::size_t frames = 0;
  std::size_t heads = 0;
  std::size_t hidden = 0;
  Precision precision = Precision::bf16;

  bool operator<(const LayerKey& other) const {
    return std::tie(frames, heads, hidden, precision) <
           std::tie(other.frames, other.heads, other.hidden, other.precision);
  }
};

struct LayerCost {
  std::string refusal;  // why the array cannot run it; empty: it can, and the rest counts
  double ms = 0;        // launch included
  std::size_t weights_bytes = 0;
  std::size_t scratch_bytes = 0;
  std::size_t states_bytes = 0;
  std::size_t instruction_bytes = 0;  // 0 where they were not made: of a predictor
};

// Cost of one window, for the layers alone: the stem, the last LayerNorm and the decoder are the
// CPU's.
struct VariantCost {
  std::string refusal;  // why the array cannot run it; empty: it can
  double ms = 0;
  // A layer's weights each, the largest scratch, two buffers of states, and each call's control
  // program once.
  std::size_t memory_bytes = 0;

  double memory_mb() const { return static_cast<double>(memory_bytes) * 1e-6; }
};

class VariantCosts {
 public:
  // A layer is one call, by the plan by hand. `predictor` outlives this; none: every call is
  // checked and simulated. n_threads work on the layers of a list; nothing depends on them.
  VariantCosts(const WholeEncoder& whole, const TimePreset& preset, const Predictor* predictor,
               std::size_t n_threads);

  // In the order of the variants.
  std::vector<VariantCost> costs(std::span<const EncoderVariant> variants);
  VariantCost cost(const EncoderVariant& variant);

  // Different layers that were looked at, and those that the array cannot run.
  std::size_t n_layers() const { return known_.size(); }
  std::map<LayerKey, std::string> refusals() const;

 private:
  LayerKey key_of(const EncoderVariant& variant, const LayerVariant& layer) const;
  LayerCost layer_cost(const LayerKey& key) const;
  VariantCost sum(const EncoderVariant& variant) const;

  WholeEncoder whole_;
  TimePreset preset_;
  const Predictor* predictor_;
  std::size_t n_threads_;
  std::map<LayerKey, LayerCost> known_;
};

}  // namespace wnpu::npu
