#include "encoder/stem.h"

#include <algorithm>
#include <cassert>

#include "models/byte_gemm.h"
#include "models/gemm.h"
#include "models/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::MatrixView;

// Their rows, 10 KB, stay in L1 while a band after the other is written into them.
constexpr std::size_t kFramesTogether = 32;

// f(first, end) for frames together, on all threads.
template <typename F>
void for_each_block(models::ThreadPool& pool, std::size_t n, const F& f) {
  pool.parallel_for((n + kFramesTogether - 1) / kFramesTogether,
                    [&](std::size_t i, std::size_t /*thread*/) {
                      f(i * kFramesTogether, std::min(n, (i + 1) * kFramesTogether));
                    });
}

// [out, in * 3], taps innermost -> [out, 3 * in], taps outermost: the order of three frames in a
// row.
models::Linear taps_outermost(const models::Linear& conv) {
  const std::size_t width = conv.weight.cols() / 3;
  models::Linear ordered{models::Matrix(conv.weight.rows(), conv.weight.cols()), conv.bias};
  for (std::size_t r = 0; r < conv.weight.rows(); ++r) {
    for (std::size_t c = 0; c < 3 * width; ++c) {
      ordered.weight.row(r)[c % 3 * width + c / 3] = conv.weight.row(r)[c];
    }
  }
  return ordered;
}

models::Bf16Linear to_bf16(const models::Linear& linear) {
  models::Bf16Linear rounded{{linear.weight.cols(), linear.weight.rows()}, linear.bias};
  rounded.weight.set_columns(0, linear.weight.view());
  return rounded;
}

}  // namespace

Convolution::Convolution(models::ThreadPool& pool, const models::Linear& weights,
                         std::size_t max_frames, bool with_bf16) {
  const std::size_t width = weights.weight.cols() / 3;
  // Frames behind each other are one row of pairs only where a frame is whole pairs.
  if (with_bf16 && width % 2 == 0) {
    weights_ = to_bf16(taps_outermost(weights));
    rounded_ = models::Bf16Rows(max_frames + 2, width);
  } else {
    weights_ = pack_linear(pool, taps_outermost(weights), models::Storage::fp32);
  }
}

// openai/whisper pads with 1. What an output frame sees are three frames that lie behind each
// other: as rows that overlap, x is the convolution's im2col without a copy.
void Convolution::run(models::ThreadPool& pool, ConstMatrixView x, MatrixView y) {
  const std::size_t step = (x.rows - 2) / y.rows;
  assert(x.stride == x.cols && (y.rows - 1) * step + 3 <= x.rows);
  if (const auto* in_fp32 = std::get_if<models::PackedLinear>(&weights_)) {
    const ConstMatrixView seen{x.data, y.rows, 3 * x.cols, step * x.stride};
    models::gemm(pool, {seen, in_fp32->weight, in_fp32->bias, models::Finish::gelu}, y);
    return;
  }
  const auto& in_bf16 = std::get<models::Bf16Linear>(weights_);
  for_each_block(pool, x.rows, [&](std::size_t first, std::size_t end) {
    for (std::size_t r = first; r < end; ++r) rounded_.set_row(r, x.row(r));
  });
  models::gemm(pool,
               models::Bf16Product{.a = rounded_.row(0),
                                   .stride = step * rounded_.stride(),
                                   .b = in_bf16.weight,
                                   .bias = in_bf16.bias,
                                   .finish = models::Finish::gelu},
               y);
}

Stem::Stem(const models::Dims& dims, const models::EncoderEnds& ends, models::ThreadPool& pool,
           models::Precision precision)
    : Stem(dims, ends, pool, models::multiplies_bytes(precision)) {}

Stem::Stem(const models::Dims& dims, const models::EncoderEnds& ends, models::ThreadPool& pool,
           bool with_bf16)
    : conv1_(pool, ends.conv1, dims.n_mel_frames(), with_bf16),
      conv2_(pool, ends.conv2, dims.n_mel_frames(), with_bf16),
      positions_(ends.positional_embedding),
      frames_(dims.n_mel_frames() + 2, dims.n_mels),
      hidden_(dims.n_mel_frames() + 2, dims.n_audio_state) {}

void Stem::run(models::ThreadPool& pool, const models::LogMel& mel, MatrixView states) {
  const std::size_t n_frames = frames_.rows() - 2;
  assert(mel.values.rows() == frames_.cols() && mel.values.cols() == n_frames);
  for_each_block(pool, n_frames, [&](std::size_t first, std::size_t end) {
    for (std::size_t m = 0; m < frames_.cols(); ++m) {
      const auto band = mel.values.row(m);
      for (std::size_t frame = first; frame < end; ++frame) frames_.row(frame + 1)[m] = band[frame];
    }
  });
  conv1_.run(pool, frames_.view(), hidden_.view().row_range(1, n_frames));
  conv2_.run(pool, hidden_.view(), states);
  for_each_block(pool, states.rows, [&](std::size_t first, std::size_t end) {
    for (std::size_t r = first; r < end; ++r) models::axpy(1.0F, positions_.row(r), states.row(r));
  });
}

}  // namespace wnpu::encoder
