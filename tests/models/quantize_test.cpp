// Rounded values lie within half a step; a model that was written is read back with just what the
// report says of it.
#include "models/quantize/quantize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/open_model.h"
#include "models/files/tensor_layout.h"
#include "models/files/tensor_names.h"
#include "models/quantize/calibrate.h"
#include "models/quantize/quantized_files.h"
#include "models/quantize/stored_values.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/random_matrix.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

constexpr std::array kBlockTypes{DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q8_0};

std::vector<float> rounded(DType type, ConstMatrixView values) {
  const Matrix read = rounded_to_nearest(values, type, "w");
  return {read.flat().begin(), read.flat().end()};
}

// Error bound of a value in its block: half a step, and the rounding of fp16 scales: 2^-11 of 31
// steps, and of the minimum. Where the largest value has the lowest level, one on the other side
// may be a level short.
double block_bound(DType type, std::span<const float> block, double value) {
  const auto [least, most] = std::ranges::minmax(block);
  const double extreme = std::max(std::abs(least), std::abs(most));
  const double slack = extreme * 0x1p-10;
  if (type == DType::q8_0) return extreme / 254 + slack;
  if (type == DType::q4_1) return (double(most) - least) / 30 + slack;
  if (type == DType::q5_1) return (double(most) - least) / 62 + slack;
  const double step = extreme / (type == DType::q4_0 ? 8 : 16);
  const bool is_beyond_last = std::abs(value) > extreme - step;
  return (is_beyond_last ? step : step / 2) + slack;
}

// Opened again after it was written to a folder.
std::unique_ptr<ModelFile> written(const TemporaryFolder& folder,
                                   const std::vector<StreamedFile>& files) {
  for (const StreamedFile& file : files) {
    std::ofstream out(folder.path() / file.name, std::ios::binary);
    file.write([&](std::string_view part) { out << part; });
  }
  const bool is_ggml = files.front().name == "ggml-model.bin";
  return open_model(is_ggml ? folder.path() / "ggml-model.bin" : folder.path());
}

std::vector<float> quantized_values_of(const ModelFile& file, const TensorSpec& spec) {
  const TensorView& view = file.tensor(spec.name, spec.shape);
  std::vector<float> values(view.size());
  dequantize(view, values);
  return values;
}

bool is_of(const std::vector<QuantizedLayer>& layers, const std::string& tensor) {
  return std::ranges::any_of(layers, [&](const QuantizedLayer& layer) {
    return std::ranges::any_of(layer.layer.parts,
                               [&](const std::string& part) { return part + ".weight" == tensor; });
  });
}

void check_layers(const ModelFile& before, const ModelFile& after,
                  const std::vector<QuantizedLayer>& layers) {
  for (const QuantizedLayer& layer : layers) {
    CAPTURE(layer.layer.name());
    const Matrix exact = layer_weights(before, layer.layer);
    const Matrix now = layer_weights(after, layer.layer);
    const RoundingError error = rounding_error(exact.flat(), now.flat());
    CHECK(error.relative == (layer.stays_finer ? 0 : layer.error.relative));
    if (!layer.stays_finer) CHECK(error.cosine == layer.error.cosine);
  }
}

void check_others(const ModelFile& before, const ModelFile& after,
                  const std::vector<QuantizedLayer>& layers) {
  std::size_t n_different = 0;
  for (const TensorSpec& spec : whisper_tensors(before.dims())) {
    if (is_of(layers, spec.name)) continue;
    n_different += quantized_values_of(before, spec) == quantized_values_of(after, spec) ? 0 : 1;
  }
  CHECK(n_different == 0);
}

// Four rows, whose size and width differ from seed to seed, and what an integer type makes of them.
struct IntegerCase {
  IntegerCase(DType type, std::uint64_t seed)
      : values(
            random_matrix(4, 7 + seed, seed, std::pow(10.0, static_cast<double>(seed % 13) - 6))),
        stored(stored_values(type, values.view(), "w")),
        read(read_back(stored, type, 4, values.cols())) {}

  // `slack`: for the rounding of values whose integers are large.
  void check_half_step(std::size_t row, double slack) const {
    const double half_step = 0.5 / stored.row_scales[row];
    for (std::size_t c = 0; c < values.cols(); ++c) {
      const double error = double(read.view().row(row)[c]) - values.view().row(row)[c];
      CHECK(std::abs(error) <= half_step * slack);
    }
  }

  Matrix values;
  StoredValues stored;
  Matrix read;
};

std::unique_ptr<ModelFile> small_file() { return open_in_memory(small_model()); }

}  // namespace

TEST_CASE("quantize: a row of int8 is within half a step of its scale, the largest value exact") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    const IntegerCase made(DType::i8_rows, seed);
    for (std::size_t r = 0; r < 4; ++r) {
      made.check_half_step(r, 1.0001);
      int largest = 0;
      for (std::size_t c = 0; c < made.values.cols(); ++c) {
        const std::size_t i = r * made.values.cols() + c;
        // A char has no sign on ARM.
        const auto value = static_cast<signed char>(made.stored.bytes[i]);
        largest = std::max(largest, std::abs(value));
      }
      CHECK(largest == 127);
    }
  }
}

TEST_CASE("quantize: a matrix of int16 is within half a step of its one scale") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    const IntegerCase made(DType::i16_rows, seed);
    const std::vector<float>& scales = made.stored.row_scales;
    REQUIRE(scales.size() == 4);
    CHECK(std::ranges::count(scales, scales.front()) == 4);
    for (std::size_t r = 0; r < 4; ++r) made.check_half_step(r, 1.001);
    double largest = 0;
    for (const float value : made.read.flat()) largest = std::max(largest, std::abs(double(value)));
    CHECK(std::round(largest * scales.front()) == 1024);
  }
}

TEST_CASE("quantize: a value of a block is within half a step") {
  for (const DType type : kBlockTypes) {
    CAPTURE(dtype_name(type));
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      const Matrix values = random_matrix(3, 96, seed, std::pow(10.0, double(seed % 5) - 2));
      const std::vector<float> read = rounded(type, values.view());
      for (std::size_t i = 0; i < read.size(); ++i) {
        const auto block = values.flat().subspan(i / kQuantBlock * kQuantBlock, kQuantBlock);
        const double value = values.flat()[i];
        CHECK(std::abs(read[i] - value) <= block_bound(type, block, value));
      }
    }
  }
}

TEST_CASE("quantize: what has been rounded once stays as it is") {
  Matrix values = random_matrix(5, 64, 11);
  for (const DType type : {DType::bf16, DType::i8_rows, DType::i16_rows, DType::q8_0}) {
    CAPTURE(dtype_name(type));
    const std::vector<float> once = rounded(type, values.view());
    const std::vector<float> twice = rounded(type, {once.data(), 5, 64, 64});
    double largest = 0;
    for (std::size_t i = 0; i < once.size(); ++i) {
      largest = std::max(largest, std::abs(double(once[i]) - twice[i]));
    }
    CHECK(largest <= 0x1p-20);
  }
}

TEST_CASE("quantize: zeros, the smallest and the largest numbers stay finite") {
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  for (const float value : {0.0F, kSmallest, -kSmallest, kLargest, -kLargest}) {
    Matrix values(2, 32);
    values.row(1)[3] = value;
    for (const DType type : {DType::f32, DType::bf16, DType::i8_rows, DType::i16_rows}) {
      CAPTURE(dtype_name(type));
      for (const float read : rounded(type, values.view())) CHECK(std::isfinite(read));
    }
    if (std::abs(value) == kLargest) continue;
    for (const DType type : kBlockTypes) {
      for (const float read : rounded(type, values.view())) CHECK(std::abs(read) <= kSmallest);
    }
  }
}

TEST_CASE("quantize: what cannot be stored is refused by name") {
  Matrix values(1, 33);
  CHECK_THROWS_WITH_AS(stored_values(DType::q4_0, values.view(), "w"),
                       doctest::Contains("w: expected rows of a multiple of 32"), ModelError);
  Matrix block(1, 32);
  block.row(0)[5] = 1e30F;
  for (const DType type : kBlockTypes) {
    CHECK_THROWS_AS(stored_values(type, block.view(), "w"), ModelError);
  }
  CHECK_THROWS_WITH_AS(stored_values(DType::f16, block.view(), "w"), doctest::Contains("fit fp16"),
                       ModelError);
  block.row(0)[5] = std::numeric_limits<float>::quiet_NaN();
  for (const DType type : {DType::f32, DType::bf16, DType::i8_rows, DType::i16_rows, DType::q8_0}) {
    CHECK_THROWS_WITH_AS(stored_values(type, block.view(), "w"), doctest::Contains("NaN"),
                         ModelError);
  }
}

TEST_CASE("quantize: a CTranslate2 folder comes back as the report says") {
  const auto before = small_file();
  for (const DType type : {DType::i8_rows, DType::i16_rows, DType::bf16}) {
    CAPTURE(dtype_name(type));
    const auto layers = quantize_layers(*before, {type, {}});
    const TemporaryFolder folder;
    const auto after = written(folder, ctranslate2_files(*before, layers));
    CHECK(after->dims() == before->dims());
    CHECK(after->token_bytes() == before->token_bytes());
    CHECK(after->config().suppress_tokens == before->config().suppress_tokens);
    CHECK(after->config().suppress_tokens_begin == before->config().suppress_tokens_begin);
    CHECK(after->config().alignment_heads == before->config().alignment_heads);
    CHECK(after->main_dtype() == dtype_name(type));
    check_layers(*before, *after, layers);
    check_others(*before, *after, layers);
  }
}

TEST_CASE("quantize: a ggml file comes back as the report says") {
  const auto before = small_file();
  for (const DType type : kBlockTypes) {
    CAPTURE(dtype_name(type));
    const auto layers = quantize_layers(*before, {type, {}});
    const TemporaryFolder folder;
    const std::vector<float> filters(before->dims().n_mels * 201);
    const auto after = written(folder, ggml_files(*before, type, filters));
    CHECK(after->dims() == before->dims());
    CHECK(after->token_bytes() == before->token_bytes());
    CHECK(after->main_dtype() == dtype_name(type));
    check_layers(*before, *after, layers);
    check_others(*before, *after, layers);
  }
}

TEST_CASE("quantize: what calibration has made of a model is what its file has") {
  const auto before = small_file();
  ProductInputs inputs;
  for (const ProductLayer& layer : product_layers(before->dims())) {
    if (!layer.has_bias) continue;
    const std::size_t width = layer_weights(*before, layer).cols();
    inputs.emplace(layer.name(), random_matrix(600, width, 5 + inputs.size()));
  }
  ThreadPool pool(2);
  constexpr std::array kTypes{DType::q4_0, DType::i8_rows, DType::i16_rows, DType::q5_1,
                              DType::q8_0};
  for (const DType type : some_of(kTypes)) {
    CAPTURE(dtype_name(type));
    const Calibration made = calibrate(pool, *before, inputs, {type, {}});
    const TemporaryFolder folder;
    const std::vector<float> filters(before->dims().n_mels * 201);
    const auto after =
        written(folder, has_row_scales(type) ? ctranslate2_files(*made.model, made.layers)
                                             : ggml_files(*made.model, type, filters));
    std::size_t n_different = 0;
    for (const TensorSpec& spec : whisper_tensors(before->dims())) {
      const auto values = quantized_values_of(*made.model, spec);
      n_different += values == quantized_values_of(*after, spec) ? 0 : 1;
    }
    CHECK(n_different == 0);
  }
}

TEST_CASE("quantize: a smaller --max-error never leaves more layers in few bits") {
  const auto before = small_file();
  const auto all = quantize_layers(*before, {DType::i8_rows, {}});
  std::vector<double> limits = {0, 1};
  for (const QuantizedLayer& layer : all) limits.push_back(layer.error.relative);
  std::ranges::sort(limits);
  std::size_t most = 0;
  for (const double limit : limits) {
    CAPTURE(limit);
    const auto layers = quantize_layers(*before, {DType::i8_rows, limit});
    for (const QuantizedLayer& layer : layers) {
      CHECK(layer.stays_finer == (layer.error.relative > limit));
    }
    const auto n = std::ranges::count(layers, false, &QuantizedLayer::stays_finer);
    CHECK(static_cast<std::size_t>(n) >= most);
    most = static_cast<std::size_t>(n);
  }
  CHECK(most == all.size());
  const auto half = quantize_layers(*before, {DType::i8_rows, limits[limits.size() / 2]});
  const TemporaryFolder folder;
  const auto after = written(folder, ctranslate2_files(*before, half));
  check_layers(*before, *after, half);
  check_others(*before, *after, half);
}

TEST_CASE("quantize: errors are those of their definition") {
  const std::array exact{3.0F, 4.0F};
  const RoundingError none = rounding_error(exact, exact);
  CHECK(none.relative == 0);
  CHECK(none.cosine == 1);
  CHECK_FALSE(none.snr_db);
  const RoundingError turned = rounding_error(exact, std::array{4.0F, 3.0F});
  CHECK(turned.cosine == doctest::Approx(0.96));
  CHECK(turned.relative == doctest::Approx(std::sqrt(2.0) / 5));
  CHECK(*turned.snr_db == doctest::Approx(-20 * std::log10(std::sqrt(2.0) / 5)));
  const RoundingError gone = rounding_error(exact, std::array{0.0F, 0.0F});
  CHECK(gone.cosine == 0);
  CHECK(gone.relative == doctest::Approx(1));
}
