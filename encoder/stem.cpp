#include "encoder/stem.h"

#include <algorithm>
#include <cassert>

#include "models/gemm.h"
#include "models/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::MatrixView;

// Their rows, 10 KB, stay in L1 while a band after the other is written into them.
constexpr std::size_t kFramesTogether = 32;

// [out, in * 3], taps innermost -> [out, 3 * in], taps outermost: the order of three frames in a
// row.
models::PackedLinear pack_convolution(models::ThreadPool& pool, const models::Linear& conv) {
  const std::size_t width = conv.weight.cols() / 3;
  models::Linear ordered{models::Matrix(conv.weight.rows(), conv.weight.cols()), conv.bias};
  for (std::size_t r = 0; r < conv.weight.rows(); ++r) {
    for (std::size_t c = 0; c < 3 * width; ++c) {
      ordered.weight.row(r)[c % 3 * width + c / 3] = conv.weight.row(r)[c];
    }
  }
  return pack_linear(pool, ordered, models::Storage::fp32);
}

// y = gelu(conv(x)). x has a zero frame at both ends, which is openai/whisper's padding of 1. What
// an output frame sees are three frames that lie behind each other: as rows that overlap, x is the
// convolution's im2col without a copy.
void convolve(models::ThreadPool& pool, const models::PackedLinear& conv, ConstMatrixView x,
              MatrixView y) {
  const std::size_t stride = (x.rows - 2) / y.rows;
  const ConstMatrixView seen{x.data, y.rows, 3 * x.cols, stride * x.stride};
  assert(x.stride == x.cols && (y.rows - 1) * stride + 3 <= x.rows);
  models::gemm(pool, {seen, conv.weight, conv.bias, models::Finish::gelu}, y);
}

}  // namespace

Stem::Stem(const models::Dims& dims, const models::EncoderEnds& ends, models::ThreadPool& pool)
    : conv1_(pack_convolution(pool, ends.conv1)),
      conv2_(pack_convolution(pool, ends.conv2)),
      positions_(ends.positional_embedding),
      frames_(dims.n_mel_frames() + 2, dims.n_mels),
      hidden_(dims.n_mel_frames() + 2, dims.n_audio_state) {}

void Stem::run(models::ThreadPool& pool, const models::LogMel& mel, MatrixView states) {
  const std::size_t n_frames = frames_.rows() - 2;
  assert(mel.values.rows() == frames_.cols() && mel.values.cols() == n_frames);
  const auto for_each_block = [&pool](std::size_t n, const auto& f) {
    pool.parallel_for((n + kFramesTogether - 1) / kFramesTogether,
                      [&](std::size_t i, std::size_t /*thread*/) {
                        f(i * kFramesTogether, std::min(n, (i + 1) * kFramesTogether));
                      });
  };
  for_each_block(n_frames, [&](std::size_t first, std::size_t end) {
    for (std::size_t m = 0; m < frames_.cols(); ++m) {
      const auto band = mel.values.row(m);
      for (std::size_t frame = first; frame < end; ++frame) frames_.row(frame + 1)[m] = band[frame];
    }
  });
  convolve(pool, conv1_, frames_.view(), hidden_.view().row_range(1, n_frames));
  convolve(pool, conv2_, hidden_.view(), states);
  for_each_block(states.rows, [&](std::size_t first, std::size_t end) {
    for (std::size_t r = first; r < end; ++r) models::axpy(1.0F, positions_.row(r), states.row(r));
  });
}

}  // namespace wnpu::encoder
