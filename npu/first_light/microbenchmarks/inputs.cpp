#include "npu/first_light/microbenchmarks/inputs.h"

#include <cmath>
#include <cstring>
#include <random>

#include "npu/kernel/bf16.h"

namespace wnpu::npu {
namespace {

class Numbers {
 public:
  Numbers(Values values, std::uint64_t seed) : values_(values), engine_(seed) {}

  // About `scale`, of either sign.
  float next(float scale) {
    const double u = uniform();
    if (values_ == Values::ordinary) return scale * static_cast<float>(3.4 * u - 1.7);
    if (u < 1.0 / 64) return u < 1.0 / 128 ? 0.0f : -0.0f;
    const double size = std::exp2(34 * uniform() - 30) * uniform();
    return scale * static_cast<float>(u < 0.5 ? size : -size);
  }

  std::vector<float> many(std::size_t n, float scale, float around = 0) {
    std::vector<float> numbers(n);
    for (float& number : numbers) number = around + next(scale);
    return numbers;
  }

 private:
  // Not by a distribution of the library, which gives other numbers elsewhere.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  Values values_;
  std::mt19937_64 engine_;
};

struct LinearLayer {
  std::vector<float> weight, bias;
};

LinearLayer matrix(Numbers& numbers, std::size_t out, std::size_t in) {
  const float scale = 1 / std::sqrt(static_cast<float>(in));
  LinearLayer m;
  m.weight = numbers.many(out * in, scale);
  m.bias = numbers.many(out, 0.1f);
  return m;
}

// A row of zeros, and one state that drowns the others of its row.
void add_outliers(std::vector<float>& states, std::size_t width) {
  if (states.size() < 4 * width) return;
  for (std::size_t c = 0; c < width; ++c) states[2 * width + c] = 0;
  states[3 * width + width / 2] = 1e4f;
}

}  // namespace

LayerInputs layer_inputs(const LayerGeometry& g, Values values, std::uint64_t seed) {
  Numbers numbers(values, seed);
  const std::size_t width = g.shape.width;
  const auto gamma1 = numbers.many(width, 0.2f, 1);
  const auto beta1 = numbers.many(width, 0.1f);
  const auto gamma2 = numbers.many(width, 0.2f, 1);
  const auto beta2 = numbers.many(width, 0.1f);
  const LinearLayer query = matrix(numbers, width, width);
  const LinearLayer key = matrix(numbers, width, width);
  const LinearLayer value = matrix(numbers, width, width);
  const LinearLayer out = matrix(numbers, width, width);
  const LinearLayer up = matrix(numbers, g.shape.hidden, width);
  const LinearLayer down = matrix(numbers, width, g.shape.hidden);
  std::vector<float> states = numbers.many(g.shape.frames * width, 1);
  if (values == Values::hostile) add_outliers(states, width);
  LayerInputs inputs;
  inputs.states.resize(g.states_bytes);
  pack_states(g, states, width, inputs.states);
  inputs.weights.resize(g.weights_bytes);
  pack_weights(g,
               {gamma1, beta1, query.weight, query.bias, key.weight, value.weight, value.bias,
                out.weight, out.bias, gamma2, beta2, up.weight, up.bias, down.weight, down.bias},
               inputs.weights);
  return inputs;
}

void fill_numbers(std::span<std::byte> bytes, Values values, std::uint64_t seed) {
  Numbers numbers(values, seed);
  for (std::size_t i = 0; i + 2 <= bytes.size(); i += 2) {
    const bfloat16 number = to_bfloat16(numbers.next(1));
    std::memcpy(&bytes[i], &number, sizeof(number));
  }
}

}  // namespace wnpu::npu
