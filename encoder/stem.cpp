#include "encoder/stem.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"
#include "models/weights/prepacked_weights.h"

namespace wnpu::encoder {
namespace {

using kernels::DataType;
using kernels::PackedA;
using models::ConstMatrixView;
using models::MatrixView;

// States that a thread makes at once.
constexpr std::size_t kStatesTogether = 48;

// [out, in, 3], taps innermost -> [out, 3 * in], taps outermost: the order of three frames in a
// row.
models::Matrix taps_outermost(const models::WeightTensor& conv) {
  const std::size_t width = conv.view.row_size() / 3;
  models::Matrix values(conv.view.shape[0], 3 * width);
  models::read_finite(conv, values.flat());
  models::Matrix ordered(values.rows(), values.cols());
  for (std::size_t r = 0; r < values.rows(); ++r) {
    for (std::size_t c = 0; c < 3 * width; ++c) {
      ordered.row(r)[c % 3 * width + c / 3] = values.row(r)[c];
    }
  }
  models::release(conv.view);
  return ordered;
}

kernels::Linear pack(models::ThreadPool& pool, const models::LinearOf<models::WeightTensor>& conv,
                     models::Precision precision) {
  const models::TensorView& view = conv.weight.view;
  // Frames behind each other are one row of pairs only where a frame is whole pairs.
  const bool has_pairs = view.row_size() / 3 % 2 == 0;
  const models::WantedOperand wanted{
      .name = conv.weight.name,
      .key = "taps:" + conv.weight.key,
      .number = has_pairs ? models::stem_number_of(precision) : DataType::f32,
      .k = view.row_size(),
      .n = view.shape[0]};
  if (auto found = models::find_stored(conv.weight.operands, wanted))
    return {std::move(found->side), conv.bias};
  const models::Matrix ordered = taps_outermost(conv.weight);
  kernels::Linear packed{models::pack_weights(pool, ordered.view(), wanted.number), conv.bias};
  models::keep_stored(conv.weight.operands, wanted, packed.weight);
  return packed;
}

}  // namespace

PackedStemAndNorm::PackedStemAndNorm(const models::Dims& of_model,
                                     const models::EncoderEndTensors& ends,
                                     models::ThreadPool& pool, models::Precision precision)
    : dims(of_model),
      conv1(pack(pool, ends.conv1, precision)),
      conv2(pack(pool, ends.conv2, precision)),
      positions(of_model.n_audio_ctx, of_model.n_audio_state),
      ln_post(ends.ln_post) {
  models::copy(ends.positional_embedding.view(), positions.view());
}

Convolution::Convolution(const kernels::Linear& weights, std::size_t n_frames) : weights_(weights) {
  const std::size_t width = weights.weight.k() / 3;
  const DataType number = weights.weight.number();
  if (number == DataType::f32) frames_ = models::Matrix(n_frames, width);
  if (number == DataType::bf16) halves_ = kernels::Bf16Rows(n_frames, width);
  if (number == DataType::i16) integers_ = kernels::I16Rows(n_frames, width);
}

void Convolution::set(ConstMatrixView frames) {
  const kernels::PackedB& weight = weights_.weight;
  if (weight.number() == DataType::i16) return integers_.set_alike(frames, weight.left_limit());
  if (weight.number() == DataType::f32)
    return models::copy(frames, frames_.view().row_range(0, frames.rows));
  for (std::size_t i = 0; i < frames.rows; ++i) halves_.set_row(i, frames.row(i));
}

PackedA Convolution::frames() const {
  if (weights_.weight.number() == DataType::i16) return integers_;
  if (weights_.weight.number() == DataType::bf16) return halves_;
  return frames_.view();
}

// Im2col without a copy: an output frame sees three frames that lie behind each other, so the
// convolution is a product with rows that overlap.
void Convolution::run(std::size_t step, MatrixView y) const {
  PackedA seen = frames();
  assert((y.rows - 1) * step + 3 <= seen.n_rows);
  seen.stride *= step;
  seen.n_rows = y.rows;
  seen.n_steps *= 3;
  kernels::gemm({seen, weights_.weight, weights_.bias, kernels::Finish::gelu}, y);
}

Stem::Scratch::Scratch(const PackedStemAndNorm& ends, std::size_t n_states)
    : mel(2 * n_states + 3, ends.dims.n_mels),
      hidden(2 * n_states + 1, ends.dims.n_audio_state),
      conv1(ends.conv1, mel.rows()),
      conv2(ends.conv2, hidden.rows()) {}

Stem::Stem(const PackedStemAndNorm& ends, std::size_t n_threads) : positions_(ends.positions) {
  for (std::size_t t = 0; t < n_threads; ++t) scratch_.emplace_back(ends, kStatesTogether);
}

void Stem::run(models::ThreadPool& pool, const models::LogMel& mel, MatrixView states) {
  assert(mel.values.cols() == 2 * states.rows);
  const std::size_t n_blocks = (states.rows + kStatesTogether - 1) / kStatesTogether;
  pool.parallel_for(n_blocks, [&](std::size_t i, std::size_t thread) {
    const std::size_t first = i * kStatesTogether;
    const std::size_t n = std::min(kStatesTogether, states.rows - first);
    run_block(mel, first, states.row_range(first, n), scratch_[thread]);
    for (std::size_t r = first; r < first + n; ++r)
      kernels::axpy(1.0F, positions_.row(r), states.row(r));
  });
}

// openai/whisper pads both convolutions with a frame of zeros at both ends; the last one of the
// second's is never seen.
void Stem::run_block(const models::LogMel& mel, std::size_t first, MatrixView states,
                     Scratch& scratch) {
  const std::size_t n_frames = mel.values.cols();
  const MatrixView frames = scratch.mel.view().row_range(0, 2 * states.rows + 3);
  const std::size_t n_before = first == 0 ? 2 : 0;  // of frame 0
  const std::size_t begin = 2 * first + n_before - 2;
  const std::size_t n = std::min(n_frames - begin, frames.rows - n_before);
  for (std::size_t i = 0; i < n_before; ++i) std::ranges::fill(frames.row(i), 0.0F);
  for (std::size_t i = n_before + n; i < frames.rows; ++i) std::ranges::fill(frames.row(i), 0.0F);
  for (std::size_t band = 0; band < frames.cols; ++band) {
    const auto values = mel.values.row(band).subspan(begin, n);
    for (std::size_t i = 0; i < n; ++i) frames.row(n_before + i)[band] = values[i];
  }
  scratch.conv1.set(frames);
  const MatrixView hidden = scratch.hidden.view().row_range(0, 2 * states.rows + 1);
  scratch.conv1.run(1, hidden);
  if (first == 0) std::ranges::fill(hidden.row(0), 0.0F);
  scratch.conv2.set(hidden);
  scratch.conv2.run(2, states);
}

}  // namespace wnpu::encoder
