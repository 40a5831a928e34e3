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
                         std::size_t n_frames, bool with_bf16) {
  const std::size_t width = weights.weight.cols() / 3;
  // Frames behind each other are one row of pairs only where a frame is whole pairs.
  if (with_bf16 && width % 2 == 0) {
    in_ = InBf16{to_bf16(taps_outermost(weights)), models::Bf16Rows(n_frames + 2, width)};
  } else {
    in_ = InFp32{pack_linear(pool, taps_outermost(weights), models::Storage::fp32),
                 models::Matrix(n_frames + 2, width)};
  }
}

void Convolution::set_frame(std::size_t i, std::span<const float> x) {
  if (auto* fp32 = std::get_if<InFp32>(&in_)) {
    std::ranges::copy(x, fp32->frames.row(i + 1).begin());
  } else {
    std::get<InBf16>(in_).frames.set_row(i + 1, x);
  }
}

// openai/whisper pads with 1. What an output frame sees are three frames that lie behind each
// other: as rows that overlap, they are the convolution's im2col without a copy.
void Convolution::run(std::size_t first, std::size_t step, MatrixView y) const {
  if (const auto* fp32 = std::get_if<InFp32>(&in_)) {
    const ConstMatrixView frames = fp32->frames.view();
    assert(first + (y.rows - 1) * step + 3 <= frames.rows);
    const ConstMatrixView seen{frames.row(first).data(), y.rows, 3 * frames.cols,
                               step * frames.stride};
    models::gemm({seen, fp32->linear.weight, fp32->linear.bias, models::Finish::gelu}, y);
    return;
  }
  const auto& [linear, frames] = std::get<InBf16>(in_);
  models::gemm(models::Bf16Product{.a = frames.row(first),
                                   .stride = step * frames.stride(),
                                   .b = linear.weight,
                                   .bias = linear.bias,
                                   .finish = models::Finish::gelu},
               y);
}

Stem::Stem(const models::Dims& dims, const models::EncoderEnds& ends, models::ThreadPool& pool,
           models::Precision precision)
    : Stem(dims, ends, pool,
           models::multiplies_bytes(precision) && models::has_bf16_instructions()) {}

Stem::Stem(const models::Dims& dims, const models::EncoderEnds& ends, models::ThreadPool& pool,
           bool with_bf16)
    : conv1_(pool, ends.conv1, dims.n_mel_frames(), with_bf16),
      conv2_(pool, ends.conv2, dims.n_mel_frames(), with_bf16),
      positions_(ends.positional_embedding) {
  for (std::size_t t = 0; t < pool.n_threads(); ++t)
    scratch_.emplace_back(kFramesTogether, std::max(dims.n_mels, dims.n_audio_state));
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
    for (std::size_t r = first; r < end; ++r) models::axpy(1.0F, positions_.row(r), states.row(r));
  });
}

}  // namespace wnpu::encoder
