#include "bench/input/random_weights.h"

#include <cmath>
#include <cstdint>

namespace wnpu::bench {
namespace {

// splitmix64 (Steele, Lea, Flood 2014), since a large model takes 10^9 values.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // -bound .. bound in 2^24 steps: exact in float.
  float value(float bound) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    const auto bits = static_cast<std::int32_t>(z >> 40U);
    return bound * (static_cast<float>(bits) * 0x1p-23F - 1.0F);
  }

 private:
  std::uint64_t state_;
};

models::LinearWeights linear(std::size_t out, std::size_t in, bool has_bias = true) {
  models::LinearWeights layer{random_matrix(out, in, std::sqrt(3.0F / static_cast<float>(in))), {}};
  if (has_bias) layer.bias.assign(out, 0.01F);
  return layer;
}

kernels::LayerNorm norm(std::size_t width) {
  return {std::vector<float>(width, 1.0F), std::vector<float>(width, 0.0F)};
}

models::AttentionWeights attention(std::size_t width) {
  return {linear(width, width), linear(width, width, false), linear(width, width),
          linear(width, width)};
}

}  // namespace

models::Matrix random_matrix(std::size_t rows, std::size_t cols, float bound) {
  models::Matrix matrix(rows, cols);
  Random random(rows * 131071 + cols);
  for (float& value : matrix.flat()) value = random.value(bound);
  return matrix;
}

models::EncoderWeights random_encoder_weights(const models::Dims& dims, std::size_t n_layers) {
  const std::size_t width = dims.n_audio_state;
  models::EncoderWeights weights;
  weights.conv1 = linear(width, 3 * dims.n_mels);
  weights.conv2 = linear(width, 3 * width);
  weights.positional_embedding = random_matrix(dims.n_audio_ctx, width, 1.0F);
  for (std::size_t i = 0; i < n_layers; ++i) {
    weights.layers.push_back({norm(width), attention(width), norm(width), linear(4 * width, width),
                              linear(width, 4 * width)});
  }
  weights.ln_post = norm(width);
  return weights;
}

}  // namespace wnpu::bench
