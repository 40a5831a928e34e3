// Calibration on random models: what moves between a product and its input is exact, and what is
// rounded for outliers that were planted is better than the nearest.
#include "models/quantize/calibrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/files/tensor_names.h"
#include "models/quantize/balance.h"
#include "models/quantize/product_layers.h"
#include "models/quantize/stored_values.h"
#include "tests/few_samples.h"
#include "tests/support/random_matrix.h"
#include "tests/support/small_model.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

// Some channels are 60 times as large as the others, as behind a trained model's LayerNorms.
Matrix with_outliers(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix inputs = random_matrix(rows, cols, seed);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = seed % 7; c < cols; c += 11) inputs.row(r)[c] *= 60;
  }
  return inputs;
}

ProductInputs planted_inputs(const ModelFile& file) {
  ProductInputs inputs;
  std::uint64_t seed = 3;
  for (const ProductLayer& layer : product_layers(file.dims())) {
    if (layer.parts.front().ends_with("embedding")) continue;
    const std::size_t width = layer_weights(file, layer).cols();
    inputs.emplace(layer.name(), with_outliers(300, width, ++seed));
  }
  return inputs;
}

std::vector<float> values_of_tensor(const ModelFile& file, const TensorSpec& spec) {
  const TensorView& view = file.tensor(spec.name, spec.shape);
  std::vector<float> values(view.size());
  dequantize(view, values);
  return values;
}

}  // namespace

TEST_CASE("fold points: each channel has one giver, and all products but those behind GELU take") {
  const Dims dims = small_dims();
  const auto points = equalization_pairs(dims);
  // LayerNorms and values: 4 a layer of the encoder less MLP's second, 6 of the decoder.
  CHECK(points.size() == 3 * dims.n_audio_layer + 1 + 5 * dims.n_text_layer);
  std::vector<std::string> takers;
  for (const EqualizationPair& point : points) {
    for (const ProductLayer& taker : point.takers) takers.push_back(taker.name());
  }
  std::ranges::sort(takers);
  CHECK(std::ranges::adjacent_find(takers) == takers.end());
  const auto names = whisper_tensors(dims);
  for (const EqualizationPair& point : points) {
    for (const std::string& giver : point.givers) {
      CAPTURE(giver);
      CHECK(std::ranges::find(names, giver, &TensorSpec::name) != names.end());
    }
  }
  for (const ProductLayer& layer : product_layers(dims)) {
    CAPTURE(layer.name());
    const bool takes = std::ranges::binary_search(takers, layer.name());
    const bool is_fixed = layer.name().ends_with("mlp.2") || layer.name().ends_with("embedding");
    CHECK(takes != is_fixed);
  }
}

TEST_CASE("balance: factors are powers of two, and a product with outliers is nearer with them") {
  ThreadPool pool(2);
  const ProductRounding rounding{DType::i8_rows, true};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    const std::size_t cols = 24 + 13 * seed;
    const Matrix inputs = with_outliers(60, cols, seed);
    const Matrix weights = random_matrix(31, cols, seed + 100, 0.1);
    const ChannelFactors factors = search_factors(pool, inputs.view(), weights.view(), rounding);
    for (const float factor : factors) {
      int exponent = 0;
      CHECK(std::frexp(factor, &exponent) == 0.5F);
    }
    const ProductError error(pool, inputs.view(), weights.view(), rounding);
    const double before = error.of(ChannelFactors(cols, 1.0F)).relative;
    CHECK(error.of(factors).relative < before / 2);
  }
}

TEST_CASE("balance: inputs are in bytes where int8 multiplies bytes, and exact elsewhere") {
  for (const ProductLayer& layer : product_layers(small_dims())) {
    CAPTURE(layer.name());
    const bool is_of_encoder =
        layer.name().starts_with("encoder.") && !layer.name().starts_with("encoder.blocks.0.attn.");
    const bool is_of_window = layer.name().ends_with("cross_attn.key+value");
    CHECK(rounding_of(layer, DType::i8_rows).inputs_in_bytes == (is_of_encoder || is_of_window));
    CHECK(!rounding_of(layer, DType::q8_0).inputs_in_bytes);
  }
}

TEST_CASE("balance: an error without rounded inputs is that of the weights") {
  ThreadPool pool(2);
  const Matrix inputs = with_outliers(60, 50, 3);
  const Matrix weights = random_matrix(31, 50, 9, 0.1);
  const ChannelFactors ones(50, 1.0F);
  for (const bool in_bytes : {false, true}) {
    const ProductError error(pool, inputs.view(), weights.view(), {DType::i8_rows, in_bytes});
    CHECK((error.of(ones, weights.view()).relative > 0) == in_bytes);
    CHECK(error.of(ones).relative > 0);
  }
}

TEST_CASE("balance: channels of zeros get no factor, and never is the error larger") {
  ThreadPool pool(1);
  Matrix inputs = with_outliers(40, 30, 2);
  Matrix weights = random_matrix(20, 30, 5);
  for (std::size_t r = 0; r < 40; ++r) inputs.row(r)[3] = 0;
  for (std::size_t r = 0; r < 20; ++r) weights.row(r)[9] = 0;
  for (const DType type : {DType::i8_rows, DType::q8_0}) {
    if (type == DType::q8_0) inputs = with_outliers(40, 32, 2);
    if (type == DType::q8_0) weights = random_matrix(20, 32, 5);
    const ProductRounding rounding{type, type == DType::i8_rows};
    const auto factors = search_factors(pool, inputs.view(), weights.view(), rounding);
    if (type == DType::i8_rows) CHECK((factors[3] == 1 && factors[9] == 1));
    const ProductError error(pool, inputs.view(), weights.view(), rounding);
    CHECK(error.of(factors).relative <= error.of(ChannelFactors(inputs.cols(), 1.0F)).relative);
  }
}

TEST_CASE("calibrate: with planted outliers every product that can be balanced is better") {
  const auto file = open_in_memory(small_model());
  const ProductInputs inputs = planted_inputs(*file);
  ThreadPool pool(2);
  const Calibration made = calibrate(pool, *file, inputs, {DType::i8_rows, {}});
  CHECK(made.before.size() == inputs.size());
  for (const QuantizedLayer& layer : made.layers) {
    CAPTURE(layer.layer.name());
    const auto before = made.before.find(layer.layer.name());
    CHECK(layer.stays_finer == (before == made.before.end()));  // the embedding
    if (before == made.before.end()) continue;
    // Inputs that cannot be balanced, or are exact: weights alone are rounded better.
    const bool is_fixed = layer.layer.name().ends_with("mlp.2");
    const double limit = layer.layer.has_fine_inputs() ? 0.85 : 0.6;
    CHECK(layer.error.relative < before->second.relative * (is_fixed ? 1.05 : limit));
  }
}

TEST_CASE("calibrate: in q types every product is better, in 4 bits by far") {
  const auto file = open_in_memory(small_model());
  const ProductInputs inputs = planted_inputs(*file);
  ThreadPool pool(2);
  constexpr std::array kTypes{DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q8_0};
  for (const DType type : some_of(kTypes)) {
    CAPTURE(dtype_name(type));
    const Calibration made = calibrate(pool, *file, inputs, {type, {}});
    double worst = 0;
    for (const QuantizedLayer& layer : made.layers) {
      const auto before = made.before.find(layer.layer.name());
      if (before == made.before.end()) continue;
      worst = std::max(worst, layer.error.relative / before->second.relative);
      CHECK(layer.type == type);
    }
    CHECK(worst < 0.95);
  }
}

TEST_CASE("calibrate: the same bytes on any number of threads") {
  const auto file = open_in_memory(small_model());
  const ProductInputs inputs = planted_inputs(*file);
  ThreadPool one(1);
  ThreadPool three(3);
  const Calibration a = calibrate(one, *file, inputs, {DType::i8_rows, {}});
  const Calibration b = calibrate(three, *file, inputs, {DType::i8_rows, {}});
  std::size_t n_different = 0;
  for (const TensorSpec& spec : whisper_tensors(file->dims())) {
    n_different += values_of_tensor(*a.model, spec) == values_of_tensor(*b.model, spec) ? 0 : 1;
  }
  CHECK(n_different == 0);
}

TEST_CASE("calibrate: without inputs each value is the nearest, and vectors stay") {
  const auto file = open_in_memory(small_model());
  ThreadPool pool(2);
  for (const DType type : {DType::i8_rows, DType::q5_0}) {
    const Calibration made = calibrate(pool, *file, {}, {type, {}});
    CHECK(made.before.empty());
    for (const QuantizedLayer& layer : made.layers) {
      CAPTURE(layer.layer.name());
      const Matrix exact = layer_weights(*file, layer.layer);
      const Matrix nearest = rounded_to_nearest(exact.view(), type, "w");
      const Matrix found = layer_weights(*made.model, layer.layer);
      CHECK(std::ranges::equal(found.flat(), nearest.flat()));
    }
    const TensorSpec norm{"encoder.ln_post.weight", {file->dims().n_audio_state}};
    CHECK(values_of_tensor(*made.model, norm) == values_of_tensor(*file, norm));
  }
}

TEST_CASE("calibrate: what stays finer keeps its products, in fp16 where that has all its values") {
  NanoModel model = small_model();  // all of it in fp16
  std::size_t n_tensors = 0;
  for (auto& [name, tensor] : model.tensors) {
    if (++n_tensors % 2 == 0) tensor.values.back() = 1 + 1e-6F;
  }
  const auto file = open_in_memory(model);
  ThreadPool pool(2);
  const Calibration made = calibrate(pool, *file, planted_inputs(*file), {DType::i8_rows, 0.0});
  std::size_t n_halves = 0;
  for (const QuantizedLayer& layer : made.layers) {
    CAPTURE(layer.layer.name());
    CHECK(layer.stays_finer);
    const Matrix found = layer_weights(*made.model, layer.layer);
    if (layer.type == DType::f16) {
      ++n_halves;
      CHECK(layer.bytes == 2 * layer.n_weights);
      CHECK(std::ranges::equal(rounded_to_nearest(found.view(), DType::f16, "w").flat(),
                               found.flat()));
    } else {
      CHECK(layer.type == DType::f32);
      CHECK(layer.bytes == 4 * layer.n_weights);
    }
  }
  CHECK((n_halves > 0 && n_halves < made.layers.size()));
}
