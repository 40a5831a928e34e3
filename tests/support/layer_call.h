// One layer call on a device with random weights and states, for tests of device and kernels.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/weights/weights.h"
#include "npu/design/layer_abi.h"
#include "npu/design/layer_design.h"
#include "npu/device.h"
#include "tests/support/random_matrix.h"

namespace wnpu::tests {

inline bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float v) { return std::isfinite(v); });
}

// Weights that keep a layer's values near 1, as a trained one does.
inline models::EncoderLayerWeights random_layer(std::size_t width, std::size_t attended,
                                                std::size_t hidden) {
  const auto linear = [](std::size_t out, std::size_t in, std::uint64_t seed, bool has_bias) {
    const double scale = 1.7 / std::sqrt(static_cast<double>(in));
    return models::LinearWeights{
        random_matrix(out, in, seed, scale),
        has_bias ? random_vector(out, seed + 100, 0.2) : std::vector<float>{}};
  };
  const auto norm = [](std::size_t n, std::uint64_t seed) {
    kernels::LayerNorm ln{random_vector(n, seed, 0.3), random_vector(n, seed + 1, 0.2)};
    for (float& g : ln.gamma) g += 1.0F;
    return ln;
  };
  return {.attn_ln = norm(width, 1),
          .attn = {linear(attended, width, 11, true), linear(attended, width, 12, false),
                   linear(attended, width, 13, true), linear(width, attended, 14, true)},
          .mlp_ln = norm(width, 3),
          .mlp_0 = linear(hidden, width, 15, true),
          .mlp_2 = linear(width, hidden, 16, true)};
}

inline npu::LayerWeights layer_weights(const models::EncoderLayerWeights& w) {
  return {w.attn_ln.gamma,
          w.attn_ln.beta,
          w.attn.query.weight.flat(),
          w.attn.query.bias,
          w.attn.key.weight.flat(),
          w.attn.value.weight.flat(),
          w.attn.value.bias,
          w.attn.out.weight.flat(),
          w.attn.out.bias,
          w.mlp_ln.gamma,
          w.mlp_ln.beta,
          w.mlp_0.weight.flat(),
          w.mlp_0.bias,
          w.mlp_2.weight.flat(),
          w.mlp_2.bias};
}

class LayerCallFixture {
 public:
  LayerCallFixture(npu::Device& device, npu::LayerShape shape,
                   npu::Precision precision = npu::Precision::bf16,
                   std::vector<npu::LayerCall> calls = {npu::LayerCall{}},
                   const npu::LayerTuning& tuning = {})
      : device_(device),
        layer_(npu::tuned_layer(device.target(), shape, precision, tuning)),
        weights_(random_layer(shape.width, shape.attended(), shape.hidden)),
        states_(random_matrix(shape.frames, shape.width, 5, 1.5)) {
    for (const auto& call : calls) programs_.push_back(device.load(layer_design(layer_, call)));
    for (std::size_t i = 0; i < npu::kLayerArguments; ++i) {
      const auto argument = static_cast<npu::LayerArgument>(i);
      buffers_.push_back(
          programs_[0]->allocate(geometry_.argument_bytes(argument), static_cast<int>(i)));
    }
    npu::pack_states(geometry_, states_.flat(), shape.width, buffers_[0]->host());
    npu::pack_weights(geometry_, layer_weights(weights_), buffers_[1]->host());
  }

  // Leaves out the sync of an argument in run().
  void forget(npu::LayerArgument argument) { forgotten_ = static_cast<int>(argument); }

  std::vector<float> run() {
    for (int i : {0, 1}) {
      if (i != forgotten_) buffers_[static_cast<std::size_t>(i)]->to_device();
    }
    std::vector<npu::Run> runs;
    for (const auto& program : programs_) runs.push_back({program.get(), arguments()});
    device_.run_all(runs, std::chrono::seconds(10));
    if (forgotten_ != 3) buffers_[3]->from_device();
    std::vector<float> result(geometry_.shape.frames * geometry_.shape.width);
    npu::unpack_states(geometry_, buffers_[3]->host(), result, geometry_.shape.width);
    return result;
  }

  npu::Program& program() { return *programs_[0]; }
  std::vector<npu::Buffer*> arguments() const {
    std::vector<npu::Buffer*> pointers;
    for (const auto& buffer : buffers_) pointers.push_back(buffer.get());
    return pointers;
  }
  const models::EncoderLayerWeights& weights() const { return weights_; }
  const models::Matrix& states() const { return states_; }

 private:
  npu::Device& device_;
  npu::TunedLayer layer_;
  const npu::LayerGeometry& geometry_ = layer_.geometry;
  models::EncoderLayerWeights weights_;
  models::Matrix states_;
  std::vector<std::unique_ptr<npu::Program>> programs_;
  std::vector<std::unique_ptr<npu::Buffer>> buffers_;
  int forgotten_ = -1;
};

}  // namespace wnpu::tests
