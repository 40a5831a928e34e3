#include "audio/speakers/embedding_net.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include "audio/speakers/network_ops.h"
#include "audio/vad/vad_kernel.h"
#include "models/kernels/products/gemm.h"

namespace wnpu::audio {
namespace {

using models::ConstMatrixView;
using models::Matrix;
using models::MatrixView;

constexpr std::size_t kBands = EmbeddingFront::kBands;
constexpr std::size_t kPlanes = EmbeddingFront::kPlanes;
constexpr std::size_t kLastBands = EmbeddingFront::kLastBands;
constexpr std::size_t kDelayTaps = 2 * EmbeddingFront::kEdge + 1;
constexpr std::size_t kDelayStride = 2;
constexpr std::size_t kInitial = 128;
constexpr std::size_t kNarrow = 128;
constexpr std::size_t kGrowth = 32;
constexpr std::size_t kTapsOfThree = 3;
constexpr std::size_t kSegment = 100;  // frames that share a context
struct BlockShape {
  std::size_t layers, dilation;
};
constexpr std::array<BlockShape, 3> kBlocks = {{{12, 1}, {24, 2}, {16, 2}}};

}  // namespace

EmbeddingNet::EmbeddingNet(const StateDict& weights, kernels::DataType number)
    : number_(number), front_(weights, number) {
  load_blocks(weights);
}

EmbeddingNet::DenseLayer EmbeddingNet::load_layer(const StateDict& weights, const std::string& name,
                                                  std::size_t in) const {
  DenseLayer layer;
  layer.norm = weights.batch_norm(name + ".nonlinear1.batchnorm", in);
  layer.narrow = pack_normed(weights.taps(name + ".linear1.weight", {kNarrow, in, 1}),
                             weights.batch_norm(name + ".nonlinear2.batchnorm", kNarrow), number_);
  const std::string cam = name + ".cam_layer.";
  const Matrix local = weights.taps(cam + "linear_local.weight", {kGrowth, kNarrow, kTapsOfThree});
  for (std::size_t t = 0; t < kTapsOfThree; ++t) {
    Matrix tap(kGrowth, kNarrow);
    models::copy(local.view().col_range(t * kNarrow, kNarrow), tap.view());
    layer.local[t] = pack(std::move(tap), {}, number_);
  }
  constexpr std::size_t kContext = kNarrow / 2;
  layer.context = pack(weights.taps(cam + "linear1.weight", {kContext, kNarrow, 1}),
                       weights.values(cam + "linear1.bias", {kContext}));
  layer.gate = pack(weights.taps(cam + "linear2.weight", {kGrowth, kContext, 1}),
                    weights.values(cam + "linear2.bias", {kGrowth}));
  return layer;
}

void EmbeddingNet::load_blocks(const StateDict& weights) {
  const std::string net = "xvector.";
  // Inputs of the file: channel * bands + band; ours: band * channels + channel.
  const std::size_t wide = kPlanes * kLastBands;
  const Matrix delay = weights.taps(net + "tdnn.linear.weight", {kInitial, wide, kDelayTaps});
  Matrix ours(kInitial, delay.cols());
  for (std::size_t o = 0; o < kInitial; ++o) {
    for (std::size_t j = 0; j < delay.cols(); ++j) {
      const std::size_t in = j % wide;
      ours.row(o)[j] = delay.row(o)[j - in + in % kPlanes * kLastBands + in / kPlanes];
    }
  }
  time_delay_ = pack_normed(
      std::move(ours), weights.batch_norm(net + "tdnn.nonlinear.batchnorm", kInitial), number_);
  std::size_t channels = kInitial;
  for (std::size_t b = 0; b < kBlocks.size(); ++b) {
    DenseBlock block;
    block.channels = channels;
    block.dilation = kBlocks[b].dilation;
    const std::string number = std::to_string(b + 1);
    for (std::size_t i = 0; i < kBlocks[b].layers; ++i) {
      const std::string name = net + "block" + number + ".tdnnd" + std::to_string(i + 1);
      block.layers.push_back(load_layer(weights, name, channels));
      channels += kGrowth;
    }
    const std::string transit = net + "transit" + number;
    block.norm = weights.batch_norm(transit + ".nonlinear.batchnorm", channels);
    block.transit =
        pack(weights.taps(transit + ".linear.weight", {channels / 2, channels, 1}), {}, number_);
    channels /= 2;
    blocks_.push_back(std::move(block));
  }
  out_norm_ = weights.batch_norm(net + "out_nonlinear.batchnorm", channels);
  dense_ = pack_normed(weights.taps(net + "dense.linear.weight", {kSize, 2 * channels, 1}),
                       weights.batch_norm(net + "dense.nonlinear.batchnorm", kSize, false));
}

// Adds kGrowth columns behind the first `channels`.
void EmbeddingNet::apply(const DenseLayer& layer, std::size_t dilation, std::size_t channels,
                         MatrixView x) {
  Matrix normed = Matrix::uninitialised(x.rows, channels);
  affine_relu(x.col_range(0, channels), layer.norm, normed.view());
  Matrix padded(x.rows + 2 * dilation, kNarrow);
  const MatrixView narrow = padded.view().row_range(dilation, x.rows);
  audio::apply(layer.narrow, normed.view(), narrow);
  relu(padded.flat().subspan(dilation * kNarrow, x.rows * kNarrow));
  const MatrixView out = x.col_range(channels, kGrowth);
  apply_taps(layer.local, dilation, padded.view(), out);
  const std::size_t n_segments = (x.rows + kSegment - 1) / kSegment;
  const auto segment = [&](MatrixView of, std::size_t s) {
    return of.row_range(s * kSegment, std::min(kSegment, x.rows - s * kSegment));
  };
  Matrix contexts(n_segments, kNarrow);
  std::vector<float> mean(kNarrow);
  for (std::size_t s = 0; s < n_segments; ++s) {
    const MatrixView frames = segment(narrow, s);
    add_rows(frames, contexts.row(s));
    for (std::size_t c = 0; c < kNarrow; ++c) {
      mean[c] += contexts.row(s)[c] / static_cast<float>(x.rows);
      contexts.row(s)[c] /= static_cast<float>(frames.rows);
    }
  }
  for (std::size_t s = 0; s < n_segments; ++s) {
    for (std::size_t c = 0; c < kNarrow; ++c) contexts.row(s)[c] += mean[c];
  }
  Matrix inner(n_segments, layer.context.weight.n());
  kernels::gemm({contexts.view(), layer.context.weight, layer.context.bias}, inner.view());
  relu(inner.flat());
  Matrix gates(n_segments, kGrowth);
  kernels::gemm({inner.view(), layer.gate.weight, layer.gate.bias}, gates.view());
  for (float& g : gates.flat()) g = 1.0F / (1.0F + std::exp(-g));
  for (std::size_t s = 0; s < n_segments; ++s) scale_columns(segment(out, s), gates.row(s));
}

// Mean and deviation of each channel over time, and the last layer.
EmbeddingNet::Embedding EmbeddingNet::pool(ConstMatrixView x) const {
  const auto n = static_cast<double>(x.rows);
  std::vector<double> sums(x.cols);
  std::vector<double> squares(x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < x.cols; ++c) sums[c] += static_cast<double>(x.row(r)[c]);
  }
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < x.cols; ++c) {
      const double away = static_cast<double>(x.row(r)[c]) - sums[c] / n;
      squares[c] += away * away;
    }
  }
  Matrix statistics(1, 2 * x.cols);
  for (std::size_t c = 0; c < x.cols; ++c) {
    statistics.row(0)[c] = static_cast<float>(sums[c] / n);
    statistics.row(0)[x.cols + c] = static_cast<float>(std::sqrt(squares[c] / (n - 1)));
  }
  Embedding out{};
  kernels::gemm({statistics.view(), dense_.weight, dense_.bias}, {out.data(), 1, kSize, kSize});
  return out;
}

EmbeddingNet::Embedding EmbeddingNet::embed(ConstMatrixView frames) const {
  assert(frames.cols == kBands && frames.rows >= kLeastFrames);
  const Matrix of_front = front_.apply(frames);
  const std::size_t n = (frames.rows - 1) / kDelayStride + 1;
  const std::size_t wide = of_front.cols();
  Matrix x = Matrix::uninitialised(n, kInitial);
  audio::apply(time_delay_,
               ConstMatrixView{of_front.data(), n, kDelayTaps * wide, kDelayStride * wide},
               x.view());
  relu(x.flat());
  for (const DenseBlock& block : blocks_) {
    const std::size_t all = block.channels + block.layers.size() * kGrowth;
    Matrix wider = Matrix::uninitialised(n, all);
    models::copy(x.view(), wider.view().col_range(0, block.channels));
    std::size_t channels = block.channels;
    for (const DenseLayer& layer : block.layers) {
      apply(layer, block.dilation, channels, wider.view());
      channels += kGrowth;
    }
    affine_relu(wider.view(), block.norm, wider.view());
    x = Matrix::uninitialised(n, all / 2);
    audio::apply(block.transit, wider.view(), x.view());
  }
  affine_relu(x.view(), out_norm_, x.view());
  return pool(x.view());
}

}  // namespace wnpu::audio
