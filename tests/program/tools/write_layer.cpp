// write_layer SIZE IN              writes what a layer of a model's size takes, as `npu emit
// --dialect
//                                  linalg` lists it, of random values
// write_layer SIZE IN OUT          compares OUT with what the CPU's fp32 layer makes of IN
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "encoder/cpu/cpu_layer_backend.h"
#include "models/base/dims.h"
#include "npu/emit/linalg_files.h"
#include "tests/support/random_matrix.h"

namespace {

using namespace wnpu;

// Tolerance, of the result's largest value: sums in fp32, each in another order.
constexpr float kMost = 2e-5F;

std::size_t size_of(const npu::LayerValue& value) {
  std::size_t size = 1;
  for (const std::size_t extent : value.shape) size *= extent;
  return size;
}

// As trained ones are: products keep the size of what they are of.
std::vector<float> random_values(const npu::LayerShape& shape) {
  std::vector<float> values;
  std::uint64_t seed = 1;
  for (const npu::LayerValue& value : npu::layer_values(shape)) {
    const bool is_weight = value.shape.size() == 2 && value.name != "states";
    const double scale = is_weight ? 1 / std::sqrt(static_cast<double>(value.shape[0])) : 1.0;
    const auto part = tests::random_vector(size_of(value), seed++, scale);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

std::vector<float> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<float> values(static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0)) /
                            sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

// Takes the values one after the other.
class Values {
 public:
  explicit Values(std::span<const float> all) : rest_(all) {}

  std::vector<float> vector(std::size_t size) {
    const auto part = rest_.first(size);
    rest_ = rest_.subspan(size);
    return {part.begin(), part.end()};
  }
  models::Matrix matrix(std::size_t rows, std::size_t cols) {
    models::Matrix m(rows, cols);
    std::ranges::copy(vector(rows * cols), m.flat().begin());
    return m;
  }
  // Layer from a random matrix [in, out].
  models::LinearWeights linear(std::size_t in, std::size_t out, bool has_bias = true) {
    const models::Matrix given = matrix(in, out);
    models::LinearWeights linear{models::Matrix(out, in), {}};
    for (std::size_t r = 0; r < in; ++r) {
      for (std::size_t c = 0; c < out; ++c) linear.weight.row(c)[r] = given.row(r)[c];
    }
    if (has_bias) linear.bias = vector(out);
    return linear;
  }
  kernels::LayerNorm layer_norm(std::size_t width) {
    auto gain = vector(width);
    return {gain, vector(width)};
  }

 private:
  std::span<const float> rest_;
};

models::Matrix run(const npu::LayerShape& shape, std::span<const float> all) {
  Values values(all);
  const std::size_t width = shape.width;
  models::Matrix states = values.matrix(shape.frames, width);
  models::EncoderLayerWeights layer;
  layer.attn_ln = values.layer_norm(width);
  layer.attn.query = values.linear(width, width);
  layer.attn.key = values.linear(width, width, false);
  layer.attn.value = values.linear(width, width);
  layer.attn.out = values.linear(width, width);
  layer.mlp_ln = values.layer_norm(width);
  layer.mlp_0 = values.linear(width, shape.hidden);
  layer.mlp_2 = values.linear(shape.hidden, width);
  models::Dims dims;
  dims.n_audio_ctx = shape.frames;
  dims.n_audio_state = width;
  dims.n_audio_head = shape.heads;
  dims.n_audio_layer = 1;
  models::ThreadPool pool(2);
  const encoder::CpuLayers layers(models::Precision::fp32, dims,
                                  models::tensors_of(std::span(&layer, 1)), pool);
  const auto backend = layers.make_backend(pool);
  backend->load(states.view());
  backend->run_layer(0);
  backend->store(states.view());
  return states;
}

int compare(const npu::LayerShape& shape, const std::string& in, const std::string& out) {
  const models::Matrix expected = run(shape, read(in));
  const std::vector<float> found = read(out);
  if (found.size() != expected.size()) throw std::runtime_error(out + ": of another size");
  float most = 0;
  float largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float difference = std::abs(found[i] - expected.flat()[i]);
    most = difference > most || std::isnan(difference) ? difference : most;
    largest = std::max(largest, std::abs(expected.flat()[i]));
  }
  std::cout << "largest difference from the CPU's layer: " << most / largest
            << " of the largest value\n";
  return most / largest < kMost ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3 && argc != 4) throw std::invalid_argument("expected SIZE IN [OUT]");
    const models::Dims dims = models::dims_of_size(argv[1]).value();
    const npu::LayerShape shape = {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head,
                                   4 * dims.n_audio_state};
    if (argc == 4) return compare(shape, argv[2], argv[3]);
    const std::vector<float> values = random_values(shape);
    std::ofstream(argv[2], std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  } catch (const std::exception& error) {
    std::cerr << "write_layer: " << error.what() << '\n';
    return 2;
  }
}
