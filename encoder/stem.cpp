#include "encoder/stem.h"

#include <algorithm>
#include <cassert>

#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"

namespace wnpu::encoder {
namespace {

using kernels::LeftSide;
using kernels::Number;
using models::MatrixView;

// Output frames of a convolution that a thread makes at once.
constexpr std::size_t kFramesTogether = 48;

// f(first, end, thread) for frames together, on all threads.
template <typename F>
void for_each_block(models::ThreadPool& pool, std::size_t n, const F& f) {
  pool.parallel_for((n + kFramesTogether - 1) / kFramesTogether,
                    [&](std::size_t i, std::size_t thread) {
                      f(i * kFramesTogether, std::min(n, (i + 1) * kFramesTogether), thread);
                    });
}

// [out, in * 3], taps innermost -> [out, 3 * in], taps outermost: the order of three frames in a
// row.
models::LinearWeights taps_outermost(const models::LinearWeights& conv) {
  const std::size_t width = conv.weight.cols() / 3;
  models::LinearWeights ordered{models::Matrix(conv.weight.rows(), conv.weight.cols()), conv.bias};
  for (std::size_t r = 0; r < conv.weight.rows(); ++r) {
    for (std::size_t c = 0; c < 3 * width; ++c) {
      ordered.weight.row(r)[c % 3 * width + c / 3] = conv.weight.row(r)[c];
    }
  }
  return ordered;
}

kernels::Linear pack(models::ThreadPool& pool, const models::LinearWeights& conv,
                     models::Precision precision) {
  const bool with_bf16 = models::multiplies_bytes(precision) && kernels::has_bf16_instructions();
  // Frames behind each other are one row of pairs only where a frame is whole pairs.
  const bool has_pairs = conv.weight.cols() / 3 % 2 == 0;
  return pack_linear(pool, with_bf16 && has_pairs ? Number::bf16 : Number::f32,
                     {taps_outermost(conv)});
}

}  // namespace

PackedEnds::PackedEnds(const models::Dims& of_model, const models::EncoderEnds& ends,
                       models::ThreadPool& pool, models::Precision precision)
    : dims(of_model),
      conv1(pack(pool, ends.conv1, precision)),
      conv2(pack(pool, ends.conv2, precision)),
      positions(of_model.n_audio_ctx, of_model.n_audio_state),
      ln_post(ends.ln_post) {
  std::ranges::copy(ends.positional_embedding.flat(), positions.flat().begin());
}

Convolution::Convolution(const kernels::Linear& weights, std::size_t n_frames) : weights_(weights) {
  const std::size_t width = weights.weight.k() / 3;
  if (is_bf16()) {
    halves_ = kernels::Bf16Rows(n_frames + 2, width);
  } else {
    frames_ = models::Matrix(n_frames + 2, width);
  }
}

void Convolution::set_frame(std::size_t i, std::span<const float> x) {
  if (is_bf16()) {
    halves_.set_row(i + 1, x);
  } else {
    std::ranges::copy(x, frames_.row(i + 1).begin());
  }
}

// openai/whisper pads with 1. What an output frame sees are three frames that lie behind each
// other: as rows that overlap, they are the convolution's im2col without a copy.
void Convolution::run(std::size_t first, std::size_t step, MatrixView y) const {
  const LeftSide frames = is_bf16() ? LeftSide(halves_) : LeftSide(frames_.view());
  assert(first + (y.rows - 1) * step + 3 <= frames.n_rows);
  LeftSide seen = frames.from_row(first);
  seen.stride *= step;
  seen.n_rows = y.rows;
  seen.n_steps *= 3;
  kernels::gemm({seen, weights_.weight, weights_.bias, kernels::Finish::gelu}, y);
}

Stem::Stem(const PackedEnds& ends, std::size_t n_threads)
    : conv1_(ends.conv1, ends.dims.n_mel_frames()),
      conv2_(ends.conv2, ends.dims.n_mel_frames()),
      positions_(ends.positions) {
  const std::size_t width = std::max(ends.dims.n_mels, ends.dims.n_audio_state);
  for (std::size_t t = 0; t < n_threads; ++t) scratch_.emplace_back(kFramesTogether, width);
}

void Stem::run(models::ThreadPool& pool, const models::LogMel& mel, MatrixView states) {
  const std::size_t n_frames = 2 * states.rows;
  assert(mel.values.cols() == n_frames);
  for_each_block(pool, n_frames, [&](std::size_t first, std::size_t end, std::size_t thread) {
    const MatrixView frames = scratch_[thread].view().col_range(0, mel.values.rows());
    for (std::size_t band = 0; band < frames.cols; ++band) {
      const auto values = mel.values.row(band).subspan(first, end - first);
      for (std::size_t i = 0; i < values.size(); ++i) frames.row(i)[band] = values[i];
    }
    for (std::size_t i = first; i < end; ++i) conv1_.set_frame(i, frames.row(i - first));
  });
  for_each_block(pool, n_frames, [&](std::size_t first, std::size_t end, std::size_t thread) {
    const MatrixView hidden =
        scratch_[thread].view().row_range(0, end - first).col_range(0, states.cols);
    conv1_.run(first, 1, hidden);
    for (std::size_t i = first; i < end; ++i) conv2_.set_frame(i, hidden.row(i - first));
  });
  for_each_block(pool, states.rows, [&](std::size_t first, std::size_t end, std::size_t) {
    conv2_.run(2 * first, 2, states.row_range(first, end - first));
    for (std::size_t r = first; r < end; ++r) kernels::axpy(1.0F, positions_.row(r), states.row(r));
  });
}

}  // namespace wnpu::encoder
