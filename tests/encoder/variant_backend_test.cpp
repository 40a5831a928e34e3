// Layers cut from a model's weights: the result against fp64 and against the array that would run
// it, and which weights were kept.
#include "encoder/variant/variant_backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <doctest/doctest.h>

#include "encoder/variant/cut_layer.h"
#include "npu/sim/sim_device.h"
#include "tests/few_samples.h"
#include "tests/support/difference.h"
#include "tests/support/layer_call.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_layer.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT
using npu::EncoderVariant;
using npu::LayerVariant;

namespace {

constexpr std::size_t kFrames = 61;
constexpr std::size_t kWidth = 256;
constexpr double kFp32Nmse = 1e-10;

models::Dims dims_of_test() {
  models::Dims dims;
  dims.n_audio_ctx = kFrames;
  dims.n_audio_state = kWidth;
  dims.n_audio_head = 4;
  dims.n_audio_layer = 3;
  return dims;
}

// Layers of a model that differ.
std::vector<models::EncoderLayerWeights> layers_of_test() {
  std::vector<models::EncoderLayerWeights> layers;
  for (std::size_t i = 0; i < 3; ++i) {
    layers.push_back(tests::random_layer(kWidth, kWidth, 4 * kWidth));
    for (float& b : layers.back().mlp_2.bias) b += static_cast<float>(i);
  }
  return layers;
}

models::Matrix states_of_test() { return tests::random_matrix(kFrames, kWidth, 5, 1.5); }

std::vector<float> run_variant(const EncoderVariant& variant, std::size_t n_threads = 2) {
  models::ThreadPool pool(n_threads);
  encoder::VariantBackend backend(dims_of_test(), layers_of_test(), variant, pool);
  CHECK(backend.n_layers() == 3);
  models::Matrix x = states_of_test();
  backend.load(x.view());
  for (std::size_t i = 0; i < backend.n_layers(); ++i) backend.run_layer(i);
  backend.store(x.view());
  return {x.flat().begin(), x.flat().end()};
}

// In fp64, with the weights as they were cut; but for LayerNorm's rows of int8.
std::vector<double> reference(const EncoderVariant& variant) {
  const models::Matrix states = states_of_test();
  tests::Rows pooled;
  for (std::size_t r = 0; r < kFrames; r += variant.pooling) {
    const std::size_t n = std::min(variant.pooling, kFrames - r);
    pooled.emplace_back(kWidth, 0.0);
    for (std::size_t i = 0; i < n * kWidth; ++i) {
      pooled.back()[i % kWidth] +=
          double{states.row(r + i / kWidth)[i % kWidth]} / static_cast<double>(n);
    }
  }
  const auto layers = layers_of_test();
  for (const LayerVariant& layer : variant.layers) {
    tests::reference_encoder_layer(pooled, encoder::cut_layer(layers[layer.layer], 64, layer),
                                   layer.heads);
  }
  std::vector<double> all;
  for (std::size_t r = 0; r < kFrames; ++r) {
    const auto& row = pooled[r / variant.pooling];
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

}  // namespace

TEST_CASE("variant backend: the whole encoder is the CPU's encoder") {
  const EncoderVariant whole = npu::whole_variant(encoder::whole_encoder(dims_of_test()));
  models::ThreadPool pool(2);
  const auto layers = layers_of_test();
  const encoder::CpuLayers cpu(models::Precision::fp32, dims_of_test(), models::tensors_of(layers),
                               pool);
  const auto backend = cpu.make_backend(pool);
  models::Matrix x = states_of_test();
  backend->load(x.view());
  for (std::size_t i = 0; i < 3; ++i) backend->run_layer(i);
  backend->store(x.view());
  const std::vector<double> expected(x.flat().begin(), x.flat().end());
  CHECK(tests::nmse(run_variant(whole), expected) < kFp32Nmse);
}

TEST_CASE("variant backend: layers that are gone, cut or pooled agree with fp64") {
  const std::array variants{
      EncoderVariant{2, {{0, 4, 512}, {1, 2, 1024}}}, EncoderVariant{1, {{1, 4, 1024}}},
      EncoderVariant{1, {{0, 3, 1024}, {2, 1, 64}}}, EncoderVariant{3, {{2, 1, 128}}},
      EncoderVariant{kFrames, {{0, 4, 1024}}}};
  for (const EncoderVariant& variant : tests::some_of(variants)) {
    CAPTURE(npu::variant_text(variant));
    CHECK(tests::nmse(run_variant(variant), reference(variant)) < kFp32Nmse);
  }
}

TEST_CASE("variant backend: int8 differs from fp32 as much as eight bits do") {
  const EncoderVariant plain{1, {{0, 4, 1024}, {2, 2, 512}}};
  EncoderVariant bytes = plain;
  for (LayerVariant& layer : bytes.layers) layer.precision = npu::Precision::int8;
  const double error = tests::nmse(run_variant(bytes), reference(plain));
  MESSAGE("NMSE ", error);
  CHECK(error > 1e-7);
  CHECK(error < tests::tolerance::kInt8LayerNmse);
}

TEST_CASE("variant backend: the array's call of the same shape computes the same") {
  const auto layers = layers_of_test();
  const auto device = npu::open_sim_device();
  for (const npu::Precision precision : {npu::Precision::bf16, npu::Precision::int8}) {
    const LayerVariant cut{1, 3, 512, precision};
    const npu::LayerShape shape{kFrames, kWidth, cut.heads, cut.hidden};
    // The array rounds to int8 itself.
    LayerVariant exact = cut;
    exact.precision = npu::Precision::bf16;
    const auto weights = encoder::cut_layer(layers[1], 64, exact);
    const npu::LayerGeometry geometry = npu::layer_geometry(device->target(), shape, precision);
    const auto program = device->load(npu::layer_design(geometry));
    std::vector<std::unique_ptr<npu::Buffer>> buffers;
    std::vector<npu::Buffer*> arguments;
    for (std::size_t i = 0; i < npu::kLayerArguments; ++i) {
      const auto argument = static_cast<npu::LayerArgument>(i);
      buffers.push_back(program->allocate(geometry.argument_bytes(argument), static_cast<int>(i)));
      arguments.push_back(buffers.back().get());
    }
    const models::Matrix states = states_of_test();
    npu::pack_states(geometry, states.flat(), kWidth, buffers[0]->host());
    npu::pack_weights(geometry, tests::layer_weights(weights), buffers[1]->host());
    for (const auto& buffer : buffers) buffer->to_device();
    device->run_all(std::vector<npu::Run>{{program.get(), arguments}}, std::chrono::seconds(10));
    buffers[3]->from_device();
    std::vector<float> found(kFrames * kWidth);
    npu::unpack_states(geometry, buffers[3]->host(), found, kWidth);
    const std::vector<float> here = run_variant({1, {cut}});
    const double error = tests::nmse(found, std::vector<double>(here.begin(), here.end()));
    MESSAGE(npu::precision_name(precision), ": NMSE ", error);
    // Intermediate results are bf16, in int8 too: their rounding was done on both sides.
    CHECK(error < tests::tolerance::kBf16LayerNmse);
  }
}

TEST_CASE("variant backend: bits do not depend on the threads") {
  const EncoderVariant variant{2, {{0, 2, 512, npu::Precision::int8}, {2, 3, 1024}}};
  const std::vector<float> first = run_variant(variant, 1);
  for (const std::size_t threads : {2U, 5U}) CHECK(run_variant(variant, threads) == first);
}

TEST_CASE("variant backend: a variant that there is none of is refused") {
  models::ThreadPool pool(1);
  CHECK_THROWS_WITH_AS(
      encoder::VariantBackend(dims_of_test(), layers_of_test(), {1, {{3, 4, 64}}}, pool),
      "variant: layer: expected one below 3, found 3", std::invalid_argument);
}

TEST_CASE("cut layer: what adds the most stays") {
  auto layer = tests::random_layer(kWidth, kWidth, 4 * kWidth);
  const auto scale_head = [&](std::size_t head, float factor) {
    for (std::size_t c = 64 * head; c < 64 * head + 64; ++c) {
      for (float& w : layer.attn.value.weight.row(c)) w *= factor;
    }
  };
  scale_head(0, 0.25F);
  scale_head(1, 4);
  scale_head(2, 0.5F);
  scale_head(3, 2);
  CHECK(encoder::heads_kept(layer, 64, 4) == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(encoder::heads_kept(layer, 64, 3) == std::vector<std::size_t>{1, 2, 3});
  CHECK(encoder::heads_kept(layer, 64, 1) == std::vector<std::size_t>{1});
  // Output weights count as well: a small `out` cancels a large `value`.
  for (std::size_t r = 0; r < kWidth; ++r) {
    for (std::size_t c = 64; c < 128; ++c) layer.attn.out.weight.row(r)[c] *= 0.01F;
  }
  CHECK(encoder::heads_kept(layer, 64, 1) == std::vector<std::size_t>{3});
  for (const std::size_t h : {7U, 300U}) {
    for (float& w : layer.mlp_0.weight.row(h)) w *= 9;
  }
  CHECK(encoder::hidden_kept(layer, 2) == std::vector<std::size_t>{7, 300});
  CHECK_THROWS_AS(encoder::hidden_kept(layer, 5000), std::invalid_argument);
}

TEST_CASE("cut layer: rows of int8 are of 255 steps, and the LayerNorm before them is plain") {
  const auto layer = tests::random_layer(kWidth, kWidth, 4 * kWidth);
  const auto cut = encoder::cut_layer(layer, 64, {0, 2, 192, npu::Precision::int8});
  CHECK(cut.mlp_0.weight.rows() == 192);
  CHECK(cut.mlp_2.weight.cols() == 192);
  CHECK(cut.attn.out.weight.cols() == 128);
  CHECK(cut.attn.key.bias.size() == 128);  // of beta
  for (const models::Matrix* m : {&cut.attn.query.weight, &cut.mlp_0.weight}) {
    for (std::size_t r = 0; r < m->rows(); ++r) {
      const std::set<float> steps(m->row(r).begin(), m->row(r).end());
      CHECK(steps.size() <= 255);
    }
  }
  CHECK(std::ranges::all_of(cut.attn_ln.gamma, [](float g) { return g == 1; }));
  CHECK(std::ranges::all_of(cut.mlp_ln.beta, [](float b) { return b == 0; }));
}
