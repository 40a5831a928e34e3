// Attention in chunks of keys; the reference holds a row's scores whole, in fp64.
#include "encoder/cpu/attention.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "encoder/cpu/byte_attention.h"
#include "models/kernels/vectors/instruction_set.h"
#include "tests/nano/nano_model.h"
#include "tests/support/difference.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_layer.h"

using namespace wnpu;  // NOLINT

namespace {

// Two chunks, and a third of whole blocks and a part of one.
constexpr std::size_t kAttentionFrames = 480 + 48 + 2;

models::Dims dims() {
  models::Dims dims = tests::nano_dims();
  dims.n_audio_ctx = kAttentionFrames;
  return dims;
}

struct Inputs {
  models::Matrix q = tests::random_matrix(kAttentionFrames, dims().n_audio_state, 1);
  models::Matrix k = tests::random_matrix(kAttentionFrames, dims().n_audio_state, 2);
  models::Matrix v = tests::random_matrix(kAttentionFrames, dims().n_audio_state, 3);
};

template <typename Arithmetic>
std::vector<float> attend(const Inputs& in, const models::PooledPadding& pooled = {}) {
  models::Dims of_keys = dims();
  of_keys.n_audio_ctx = in.k.rows();
  encoder::Attention<Arithmetic> attention(of_keys, pooled);
  typename encoder::Attention<Arithmetic>::Scratch scratch(of_keys);
  const std::size_t block = Arithmetic::block_rows();
  for (std::size_t first = 0; first < in.k.rows(); first += block) {
    const std::size_t rows = std::min(block, in.k.rows() - first);
    attention.set(first, in.k.view().row_range(first, rows), in.v.view().row_range(first, rows));
  }
  models::ThreadPool pool(2);
  attention.finish(pool);
  models::Matrix y(in.q.rows(), dims().n_audio_state);
  for (std::size_t first = 0; first < in.q.rows(); first += block) {
    const std::size_t rows = std::min(block, in.q.rows() - first);
    attention.attend(in.q.view().row_range(first, rows), y.view().row_range(first, rows), scratch);
  }
  return {y.flat().begin(), y.flat().end()};
}

// fp64's softmax without its maximum overflows beyond exponents of 700: scores stay below.
std::vector<double> expected(const Inputs& in) {
  const std::size_t head_size = dims().n_audio_state / dims().n_audio_head;
  auto q = tests::to_rows(in.q.view());
  for (auto& row : q) {
    for (double& value : row)
      value *= std::sqrt(static_cast<double>(head_size));  // the reference divides by it
  }
  return tests::flatten(tests::reference_attention(
      q, tests::to_rows(in.k.view()), tests::to_rows(in.v.view()), dims().n_audio_head, false));
}

void check(const Inputs& in, const std::vector<double>& reference,
           const models::PooledPadding& pooled = {}) {
  CHECK(tests::nmse(attend<encoder::Fp32Arithmetic>(in, pooled), reference) < 1e-11);
  CHECK(tests::nmse(attend<encoder::IntegerArithmetic>(in, pooled), reference) < 1e-6);
  // Queries and keys of 8 bits: a score of 5 may be wrong by 0.02.
  const double limit = kernels::byte_limits().right < 127 ? 4e-3 : 1e-3;
  CHECK(tests::nmse(attend<encoder::ByteArithmetic>(in, pooled), reference) < limit);
}

void check(const Inputs& in) { check(in, expected(in)); }

// Each pooled row as often as attention counts it.
models::Matrix spread_out(const models::Matrix& rows, const models::PooledPadding& pooled) {
  const std::size_t first = std::min(pooled.first_row, rows.rows());
  models::Matrix all(first + (rows.rows() - first) * pooled.n_positions, rows.cols());
  for (std::size_t r = 0; r < all.rows(); ++r)
    std::ranges::copy(rows.row(r < first ? r : first + (r - first) / pooled.n_positions),
                      all.row(r).begin());
  return all;
}

}  // namespace

TEST_CASE("attention: chunks put together agree with fp64") { check({}); }

TEST_CASE("attention: a maximum that comes late makes what was before it small") {
  Inputs in;
  for (std::size_t r = 0; r < kAttentionFrames; ++r) {
    for (float& value : in.q.row(r)) value = 1.0F + 0.1F * value;
    // Scores grow from frame to frame, by 5 in all: each chunk has its maximum at its end.
    const float slope = 5.0F * static_cast<float>(r) / kAttentionFrames;
    for (float& value : in.k.row(r))
      value = 0.05F * value + slope / static_cast<float>(in.k.cols());
  }
  check(in);
}

TEST_CASE("attention: one frame of all, in any chunk, takes everything") {
  for (const std::size_t frame : {std::size_t{3}, std::size_t{300}, kAttentionFrames - 1}) {
    Inputs in;
    for (std::size_t r = 0; r < kAttentionFrames; ++r) {
      std::ranges::fill(in.q.row(r), 1.0F);
      std::ranges::fill(in.k.row(r), r == frame ? 8.0F : -8.0F);
    }
    const auto y = attend<encoder::Fp32Arithmetic>(in);
    const auto value = in.v.row(frame);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == value[i % value.size()]);
    check(in);
  }
}

TEST_CASE("attention: a pooled frame counts as many, wherever pooling begins") {
  constexpr std::size_t kPooledQueries = 49;  // blocks, and a part of one
  for (const std::size_t first : {0U, 1U, 100U, 239U, 240U, 241U, 480U, 528U, 529U, 530U, 1000U}) {
    for (const std::size_t n : {2U, 6U, 7U}) {
      CAPTURE(first);
      CAPTURE(n);
      const models::PooledPadding pooled{first, n};
      Inputs in;
      in.q = tests::random_matrix(kPooledQueries, dims().n_audio_state, 1);
      Inputs all;
      all.q = tests::random_matrix(kPooledQueries, dims().n_audio_state, 1);
      all.k = spread_out(in.k, pooled);
      all.v = spread_out(in.v, pooled);
      check(in, expected(all), pooled);
    }
  }
}

TEST_CASE("attention in bytes: pooled frames count as many behind a shift, too") {
  constexpr std::size_t kFirst = 500;
  const models::PooledPadding pooled{kFirst, 6};
  Inputs in;
  for (std::size_t r = 0; r < kAttentionFrames; ++r) {
    std::ranges::fill(in.q.row(r), 40.0F);
    // Two frames beyond 16 bits share all weight, one of them pooled.
    std::ranges::fill(in.k.row(r), r == 8 || r == kFirst ? 160.0F : 0.0F);
  }
  const auto y = attend<encoder::ByteArithmetic>(in, pooled);
  for (std::size_t c = 0; c < dims().n_audio_state; ++c) {
    CHECK(y[c] == doctest::Approx((in.v.row(8)[c] + 6 * in.v.row(kFirst)[c]) / 7).epsilon(0.02));
  }
}

TEST_CASE("attention in bytes: scores beyond 16 bits are taken off their maximum") {
  for (const float size : {1.0F, 40.0F}) {  // scores up to 16 * size^2 / 4
    CAPTURE(size);
    Inputs in;
    for (std::size_t r = 0; r < kAttentionFrames; ++r) {
      std::ranges::fill(in.q.row(r), r % 7 == 0 ? -size : size);
      // Frames that share a row's weights: 8, 9 and 10 for one sign, 20 for the other.
      const float sign = r >= 8 && r <= 10 ? 1.0F : (r == 20 ? -1.0F : 0.0F);
      std::ranges::fill(in.k.row(r), 4.0F * sign * size);
    }
    const auto y = attend<encoder::ByteArithmetic>(in);
    for (const float value : y) CHECK(std::isfinite(value));
    if (size > 1.0F) {
      const std::size_t width = dims().n_audio_state;
      for (std::size_t c = 0; c < width; ++c) {
        const float three = (in.v.row(8)[c] + in.v.row(9)[c] + in.v.row(10)[c]) / 3;
        CHECK(y[width + c] == doctest::Approx(three).epsilon(0.01));
        CHECK(y[c] == doctest::Approx(in.v.row(20)[c]).epsilon(0.01));
      }
    }
  }
}
