// The contract of a LayerBackend, on the CPU's; the reference is fp64.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/encoder.h"
#include "models/kernels/vectors/blas.h"
#include "models/kernels/vectors/instruction_set.h"
#include "tests/nano/nano_model.h"
#include "tests/support/difference.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_layer.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT

namespace {

models::Dims short_dims() {
  models::Dims dims = tests::nano_dims();
  dims.n_audio_ctx = 290;  // two chunks of keys; blocks of query rows and a part of one
  return dims;
}

using models::Precision;
using tests::tolerance::kByteLayerNmse;
using tests::tolerance::kInt16LayerNmse;
using tests::tolerance::kInt8WeightsNmse;

struct Run {
  std::size_t layer = 0;
  Precision precision = Precision::fp32;
  std::size_t n_threads = 2;
  kernels::Gemm gemm = kernels::Gemm::own;
};

std::vector<float> run(const tests::NanoModel& model, const models::EncoderWeights& weights,
                       const Run& how) {
  models::ThreadPool pool(how.n_threads);
  kernels::use_gemm(how.gemm);
  const encoder::CpuLayers layers(how.precision, model.dims, models::tensors_of(weights.layers),
                                  pool);
  const auto backend = layers.make_backend(pool);
  models::Matrix x = tests::random_matrix(model.dims.n_audio_ctx, model.dims.n_audio_state, 3);
  backend->load(x.view());
  backend->run_layer(how.layer);
  backend->store(x.view());
  kernels::use_gemm(kernels::Gemm::own);
  return {x.flat().begin(), x.flat().end()};
}

}  // namespace

TEST_CASE("cpu backend: each layer agrees with fp64, and differs from the other") {
  const auto model = tests::make_nano_model({short_dims(), 5});
  const auto weights = tests::encoder_weights(model);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    auto x = tests::to_rows(
        tests::random_matrix(model.dims.n_audio_ctx, model.dims.n_audio_state, 3).view());
    tests::reference_encoder_layer(x, weights.layers[layer], model.dims.n_audio_head);
    const auto expected = tests::flatten(x);
    CHECK(tests::nmse(run(model, weights, {layer}), expected) < 1e-11);
    CHECK(tests::nmse(run(model, weights, {layer, Precision::int16}), expected) < kInt16LayerNmse);
    CHECK(tests::nmse(run(model, weights, {layer, Precision::int8}), expected) <
          (kernels::has_byte_products() ? kByteLayerNmse : kInt8WeightsNmse));
    CHECK(tests::nmse(run(model, weights, {1 - layer}), expected) > 1e-3);
  }
}

TEST_CASE("cpu backend: bits do not depend on the number of threads") {
  const auto model = tests::make_nano_model({short_dims(), 5});
  const auto weights = tests::encoder_weights(model);
  for (const Precision precision : {Precision::fp32, Precision::int16, Precision::int8}) {
    const auto one = run(model, weights, {0, precision, 1});
    CHECK(run(model, weights, {0, precision, 2}) == one);
    CHECK(run(model, weights, {0, precision, 7}) == one);
  }
}

TEST_CASE("cpu backend: with OpenBLAS nearly our own numbers, however many work on them") {
  if (!kernels::has_blas()) {
    MESSAGE("SKIP: libopenblas0 is not installed");
    return;
  }
  const auto model = tests::make_nano_model({short_dims(), 5});
  const auto weights = tests::encoder_weights(model);
  const auto blas = run(model, weights, {0, Precision::fp32, 2, kernels::Gemm::blas});
  CHECK(tests::nmse(blas, run(model, weights, {0})) < 1e-11);
  CHECK(run(model, weights, {0, Precision::fp32, 5, kernels::Gemm::blas}) == blas);
}

TEST_CASE("encoder: convolutions, GELU, positions and layers agree with fp64") {
  const auto model = tests::make_nano_model({short_dims(), 6});
  const auto weights = tests::encoder_weights(model);
  const models::Dims& d = model.dims;
  const models::LogMel mel{tests::random_matrix(d.n_mels, d.n_mel_frames(), 9)};
  models::ThreadPool pool(2);
  const encoder::CpuLayers layers(models::Precision::fp32, d, models::tensors_of(weights.layers),
                                  pool);
  const auto backend = layers.make_backend(pool);
  const encoder::PackedStemAndNorm ends(d, weights, pool);
  encoder::Encoder encoder(ends, *backend, pool);
  models::EncoderStates out;
  encoder.encode(mel, out);

  const auto convolve = [](const tests::Rows& x, const models::LinearWeights& w,
                           std::size_t stride) {
    tests::Rows y;
    const auto n = static_cast<std::ptrdiff_t>(x.size());
    for (std::ptrdiff_t at = 0; at < n; at += static_cast<std::ptrdiff_t>(stride)) {
      std::vector<double> row;
      for (std::size_t o = 0; o < w.weight.rows(); ++o) {
        double sum = static_cast<double>(w.bias[o]);
        for (std::ptrdiff_t tap = -1; tap <= 1; ++tap) {
          if (at + tap < 0 || at + tap >= n) continue;
          const auto& frame = x[static_cast<std::size_t>(at + tap)];
          for (std::size_t c = 0; c < frame.size(); ++c) {
            sum += frame[c] *
                   static_cast<double>(w.weight.row(o)[c * 3 + static_cast<std::size_t>(tap + 1)]);
          }
        }
        row.push_back(sum);
      }
      y.push_back(row);
    }
    return tests::reference_gelu(y);
  };
  tests::Rows frames(d.n_mel_frames(), std::vector<double>(d.n_mels));
  for (std::size_t f = 0; f < frames.size(); ++f) {
    for (std::size_t m = 0; m < d.n_mels; ++m)
      frames[f][m] = static_cast<double>(mel.values.row(m)[f]);
  }
  auto x = convolve(convolve(frames, weights.conv1, 1), weights.conv2, 2);
  tests::add(x, tests::to_rows(weights.positional_embedding.view()));
  for (const auto& layer : weights.layers) tests::reference_encoder_layer(x, layer, d.n_audio_head);
  CHECK(tests::nmse(out.values.flat(),
                    tests::flatten(tests::reference_layer_norm(x, weights.ln_post))) < 1e-10);
}

namespace {

// Padding whose states are equal six by six, so that a pooled window loses nothing.
struct PoolFixture {
  static constexpr std::size_t kPositions = 300;
  static constexpr std::size_t kAudioFrames = 150;
  static constexpr models::PooledPadding kPooled{120, 6};

  PoolFixture() {
    for (std::size_t r = kPooled.first_row; r < kPositions; ++r) {
      const std::size_t in_group = (r - kPooled.first_row) % kPooled.n_positions;
      std::ranges::copy(weights.positional_embedding.row(r - in_group),
                        weights.positional_embedding.row(r).begin());
    }
    for (std::size_t m = 0; m < mel.values.rows(); ++m)
      std::ranges::fill(mel.values.row(m).subspan(kAudioFrames), 0.0F);
  }

  static models::Dims dims() {
    models::Dims dims = tests::nano_dims();
    dims.n_audio_ctx = kPositions;
    return dims;
  }

  tests::NanoModel model = tests::make_nano_model({dims(), 6});
  models::EncoderWeights weights = tests::encoder_weights(model);
  models::LogMel mel{tests::random_matrix(dims().n_mels, dims().n_mel_frames(), 9)};
};

// States of windows, pooled or not, encoded one after another.
std::vector<models::EncoderStates> encode_each(PoolFixture& f, Precision precision,
                                               std::size_t n_threads,
                                               const std::vector<bool>& is_pooled) {
  models::ThreadPool pool(n_threads);
  const encoder::CpuLayers layers(precision, f.model.dims, models::tensors_of(f.weights.layers),
                                  pool);
  const auto backend = layers.make_backend(pool);
  const encoder::PackedStemAndNorm ends(f.model.dims, f.weights, pool);
  encoder::Encoder encoder(ends, *backend, pool);
  std::vector<models::EncoderStates> all(is_pooled.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    f.mel.poolable_from.reset();
    if (is_pooled[i]) f.mel.poolable_from = PoolFixture::kAudioFrames;
    encoder.encode(f.mel, all[i]);
  }
  return all;
}

std::vector<float> first_rows(const models::EncoderStates& states, std::size_t n) {
  const auto values = states.values.flat().first(n * states.values.cols());
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("encoder: pooled padding counts as what it was, in fewer rows") {
  PoolFixture f;
  constexpr models::PooledPadding kPooled = PoolFixture::kPooled;
  for (const auto& [precision, limit] :
       {std::pair(Precision::fp32, 1e-10), std::pair(Precision::int16, 2 * kInt16LayerNmse),
        std::pair(Precision::int8,
                  2 * (kernels::has_byte_products() ? kByteLayerNmse : kInt8WeightsNmse))}) {
    const auto all = encode_each(f, precision, 2, {false, true, false, true});
    const std::size_t n_pooled =
        (PoolFixture::kPositions - kPooled.first_row) / kPooled.n_positions;
    CHECK(all[0].pooled == models::PooledPadding());
    CHECK(all[0].values.rows() == PoolFixture::kPositions);
    CHECK(all[1].pooled == kPooled);
    CHECK(all[1].values.rows() == kPooled.first_row + n_pooled);
    CHECK(tests::nmse(first_rows(all[1], kPooled.first_row),
                      first_rows(all[0], kPooled.first_row)) < limit);
    // Windows leave nothing behind.
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(std::ranges::equal(all[i + 2].values.flat(), all[i].values.flat()));
    const auto with_more_threads = encode_each(f, precision, 5, {true});
    CHECK(std::ranges::equal(with_more_threads[0].values.flat(), all[1].values.flat()));
  }
}

TEST_CASE("encoder: audio to near the window's end leaves nothing to be pooled") {
  PoolFixture f;
  models::ThreadPool pool(1);
  const encoder::CpuLayers layers(Precision::fp32, f.model.dims,
                                  models::tensors_of(f.weights.layers), pool);
  const auto backend = layers.make_backend(pool);
  const encoder::PackedStemAndNorm ends(f.model.dims, f.weights, pool);
  encoder::Encoder encoder(ends, *backend, pool);
  for (std::size_t from = 0; from <= 2 * PoolFixture::kPositions; ++from) {
    CAPTURE(from);
    f.mel.poolable_from = from;
    models::EncoderStates states;
    if (from % 37 != 0 && from < 2 * PoolFixture::kPositions - 60) continue;
    encoder.encode(f.mel, states);
    const std::size_t n_single = std::min(states.pooled.first_row, states.values.rows());
    CHECK(2 * n_single >= std::min(from, 2 * PoolFixture::kPositions));
    CHECK(n_single + (states.values.rows() - n_single) * states.pooled.n_positions ==
          PoolFixture::kPositions);
  }
}

TEST_CASE("encoder: refuses a log-mel of another shape, naming both") {
  const auto model = tests::make_nano_model({short_dims(), 6});
  const auto weights = tests::encoder_weights(model);
  models::ThreadPool pool(1);
  const encoder::CpuLayers layers(models::Precision::fp32, model.dims,
                                  models::tensors_of(weights.layers), pool);
  const auto backend = layers.make_backend(pool);
  const encoder::PackedStemAndNorm ends(model.dims, weights, pool);
  encoder::Encoder encoder(ends, *backend, pool);
  models::EncoderStates out;
  const models::LogMel mel{models::Matrix(80, 3000)};
  CHECK_THROWS_WITH_AS(encoder.encode(mel, out),
                       "encoder: expected log-mel [80, 580], found [80, 3000]",
                       std::invalid_argument);
}
