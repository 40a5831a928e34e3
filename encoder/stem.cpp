#include "encoder/stem.h"

#include <algorithm>
#include <cassert>

#include "models/ops.h"

namespace wnpu::encoder {
namespace {

using models::ConstMatrixView;
using models::Matrix;
using models::MatrixView;

// Splits a convolution [out, in * 3], taps innermost, into a matrix [out, in] for each tap.
std::array<Matrix, 3> split_taps(const Matrix& weight) {
  std::array<Matrix, 3> taps;
  const std::size_t width = weight.cols() / 3;
  for (std::size_t tap = 0; tap < 3; ++tap) {
    taps[tap] = Matrix(weight.rows(), width);
    for (std::size_t r = 0; r < weight.rows(); ++r) {
      for (std::size_t c = 0; c < width; ++c) taps[tap].row(r)[c] = weight.row(r)[c * 3 + tap];
    }
  }
  return taps;
}

// Rows tap, tap + stride, ... of x: the frames that a tap of a strided convolution sees.
ConstMatrixView every(ConstMatrixView x, std::size_t tap, std::size_t stride, std::size_t rows) {
  assert(tap + (rows - 1) * stride < x.rows);
  return {x.data + tap * x.stride, rows, x.cols, x.stride * stride};
}

struct Convolution {
  const std::array<Matrix, 3>& taps;
  const std::vector<float>& bias;
  std::size_t stride;
};

// y = gelu(conv(x)). x has a zero frame at both ends, which is openai/whisper's padding of 1; a
// convolution is then the sum of one matrix product a tap, and needs no im2col.
void convolve(models::ThreadPool& pool, const Convolution& conv, ConstMatrixView x, MatrixView y) {
  for (std::size_t r = 0; r < y.rows; ++r)
    std::copy(conv.bias.begin(), conv.bias.end(), y.row(r).begin());
  for (std::size_t tap = 0; tap < 3; ++tap) {
    models::matmul_transposed(pool, every(x, tap, conv.stride, y.rows), conv.taps[tap].view(), y,
                              models::Write::add);
  }
  models::gelu(pool, y);
}

}  // namespace

Stem::Stem(const models::Dims& dims, const models::EncoderWeights& weights)
    : weights_(weights),
      conv1_taps_(split_taps(weights.conv1.weight)),
      conv2_taps_(split_taps(weights.conv2.weight)),
      frames_(dims.n_mel_frames() + 2, dims.n_mels),
      hidden_(dims.n_mel_frames() + 2, dims.n_audio_state) {}

void Stem::run(models::ThreadPool& pool, const models::LogMel& mel, MatrixView states) {
  const std::size_t n_frames = frames_.rows() - 2;
  assert(mel.values.rows() == frames_.cols() && mel.values.cols() == n_frames);
  for (std::size_t frame = 0; frame < n_frames; ++frame) {
    const auto row = frames_.row(frame + 1);
    for (std::size_t m = 0; m < row.size(); ++m) row[m] = mel.values.row(m)[frame];
  }
  convolve(pool, {conv1_taps_, weights_.conv1.bias, 1}, frames_.view(),
           hidden_.view().row_range(1, n_frames));
  convolve(pool, {conv2_taps_, weights_.conv2.bias, 2}, hidden_.view(), states);
  for (std::size_t r = 0; r < states.rows; ++r) {
    models::axpy(1.0F, weights_.positional_embedding.row(r), states.row(r));
  }
}

}  // namespace wnpu::encoder
