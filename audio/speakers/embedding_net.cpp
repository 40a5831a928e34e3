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

using kernels::Finish;
using models::ConstMatrixView;
using models::Matrix;
using models::MatrixView;

constexpr std::size_t kBands = 80;
constexpr std::size_t kPlanes = 32;  // channels of the convolutions over time and frequency
constexpr std::size_t kLastBands = kBands / 8;
// Places of a frame of the last planes; those before have twice as many a halving.
constexpr std::size_t kLastPitch = kLastBands + 1;
constexpr std::size_t kDelayTaps = 5;
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

// Activations [time, frequency, channels] with a frame of zeros before the first and after the
// last, and in each frame zeros before the first band and after the last: `pitch` places a frame.
struct EmbeddingNet::Planes {
  std::size_t frames, bands, pitch;
  Matrix values;  // [(frames + 2) * pitch + 1, channels]: the view of a row's taps may end behind

  Planes(std::size_t n_frames, std::size_t n_bands)
      : frames(n_frames),
        bands(n_bands),
        pitch(kLastPitch * (n_bands / kLastBands)),
        values((n_frames + 2) * pitch + 4, kPlanes) {}

  std::size_t place(std::size_t frame, std::size_t band) const {
    return (frame + 1) * pitch + 1 + band;
  }
  // Places that convolutions write, from place(0, 0) on.
  MatrixView written() {
    return values.view().row_range(place(0, 0), frames * pitch - (pitch - bands));
  }
  void clear_edges() {
    for (std::size_t frame = 0; frame <= frames; ++frame) {
      // After the last band of the frame before up to the first band of this one.
      const std::size_t from = frame == 0 ? 0 : place(frame - 1, bands);
      for (std::size_t r = from; r < place(frame, 0); ++r) std::ranges::fill(values.row(r), 0.0F);
    }
  }
};

EmbeddingNet::EmbeddingNet(const StateDict& weights) {
  load_front(weights);
  load_blocks(weights);
}

EmbeddingNet::PlaneConvolution EmbeddingNet::load_planes(const StateDict& weights,
                                                         const std::string& conv,
                                                         const std::string& norm, std::size_t in,
                                                         std::size_t stride) {
  // Taps of the file: [out, frequency * 3 + time, in].
  const Matrix all = weights.taps(conv + ".weight", {kPlanes, in, kTapsOfThree, kTapsOfThree});
  const ChannelAffine affine = weights.batch_norm(norm, kPlanes);
  PlaneConvolution planes;
  planes.stride = stride;
  for (std::size_t time = 0; time < kTapsOfThree; ++time) {
    Matrix tap(kPlanes, kTapsOfThree * in);
    for (std::size_t o = 0; o < kPlanes; ++o) {
      for (std::size_t j = 0; j < kTapsOfThree * in; ++j)
        tap.row(o)[j] = all.row(o)[(j / in * kTapsOfThree + time) * in + j % in] * affine.scale[o];
    }
    planes.taps[time] = pack(std::move(tap), time == 0 ? affine.shift : std::vector<float>());
  }
  return planes;
}

void EmbeddingNet::load_front(const StateDict& weights) {
  first_ = pack_normed(weights.taps("head.conv1.weight", {kPlanes, 1, kTapsOfThree, kTapsOfThree}),
                       weights.batch_norm("head.bn1", kPlanes));
  for (std::size_t i = 0; i < residuals_.size(); ++i) {
    const std::string name = "head.layer" + std::to_string(i / 2 + 1) + "." + std::to_string(i % 2);
    const std::size_t stride = i % 2 == 0 ? 2 : 1;
    residuals_[i].first = load_planes(weights, name + ".conv1", name + ".bn1", kPlanes, stride);
    residuals_[i].second = load_planes(weights, name + ".conv2", name + ".bn2", kPlanes, 1);
    if (stride == 1) continue;
    residuals_[i].shortcut =
        pack_normed(weights.taps(name + ".shortcut.0.weight", {kPlanes, kPlanes, 1, 1}),
                    weights.batch_norm(name + ".shortcut.1", kPlanes));
  }
  last_ = load_planes(weights, "head.conv2", "head.bn2", kPlanes, 2);
}

EmbeddingNet::DenseLayer EmbeddingNet::load_layer(const StateDict& weights, const std::string& name,
                                                  std::size_t in) {
  DenseLayer layer;
  layer.norm = weights.batch_norm(name + ".nonlinear1.batchnorm", in);
  layer.narrow = pack_normed(weights.taps(name + ".linear1.weight", {kNarrow, in, 1}),
                             weights.batch_norm(name + ".nonlinear2.batchnorm", kNarrow));
  const std::string cam = name + ".cam_layer.";
  const Matrix local = weights.taps(cam + "linear_local.weight", {kGrowth, kNarrow, kTapsOfThree});
  for (std::size_t t = 0; t < kTapsOfThree; ++t) {
    Matrix tap(kGrowth, kNarrow);
    models::copy(local.view().col_range(t * kNarrow, kNarrow), tap.view());
    layer.local[t] = pack(std::move(tap), {});
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
  time_delay_ =
      pack_normed(std::move(ours), weights.batch_norm(net + "tdnn.nonlinear.batchnorm", kInitial));
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
    block.transit = pack(weights.taps(transit + ".linear.weight", {channels / 2, channels, 1}), {});
    channels /= 2;
    blocks_.push_back(std::move(block));
  }
  out_norm_ = weights.batch_norm(net + "out_nonlinear.batchnorm", channels);
  dense_ = pack_normed(weights.taps(net + "dense.linear.weight", {kSize, 2 * channels, 1}),
                       weights.batch_norm(net + "dense.nonlinear.batchnorm", kSize, false));
}

void EmbeddingNet::convolve(const PlaneConvolution& conv, const Planes& x, Planes& y, bool adds) {
  assert(x.pitch == conv.stride * y.pitch && x.frames == y.frames);
  const MatrixView out = y.written();
  for (std::size_t time = 0; time < kTapsOfThree; ++time) {
    const ConstMatrixView seen{x.values.row(time * x.pitch).data(), out.rows,
                               kTapsOfThree * kPlanes, conv.stride * kPlanes};
    const Finish finish = time > 0 || adds ? Finish::add : Finish::replace;
    kernels::gemm({seen, conv.taps[time].weight, conv.taps[time].bias, finish}, out);
  }
}

EmbeddingNet::Planes EmbeddingNet::apply(const ResidualBlock& block, const Planes& x) {
  const std::size_t stride = block.first.stride;
  Planes inner(x.frames, x.bands / stride);
  convolve(block.first, x, inner, false);
  relu(inner.values.flat());
  inner.clear_edges();
  Planes y(x.frames, inner.bands);
  const MatrixView out = y.written();
  const ConstMatrixView seen{x.values.row(x.place(0, 0)).data(), out.rows, kPlanes,
                             stride * kPlanes};
  if (stride == 1) {
    models::copy(seen, out);
  } else {
    kernels::gemm({seen, block.shortcut.weight, block.shortcut.bias}, out);
  }
  convolve(block.second, inner, y, true);
  relu(y.values.flat());
  y.clear_edges();
  return y;
}

// Frames of kLastBands * kPlanes values, with two of zeros at both ends.
Matrix EmbeddingNet::front(ConstMatrixView frames) const {
  Planes x(frames.rows, kBands);
  Matrix seen(x.written().rows, kTapsOfThree * kTapsOfThree);
  for (std::size_t r = 0; r < seen.rows(); ++r) {
    const std::size_t frame = r / x.pitch;
    const std::size_t band = r % x.pitch;
    for (std::size_t tap = 0; tap < kTapsOfThree * kTapsOfThree; ++tap) {
      const std::size_t f = band + tap / kTapsOfThree;
      const std::size_t t = frame + tap % kTapsOfThree;
      const bool is_inside = f > 0 && f <= kBands && t > 0 && t <= frames.rows;
      seen.row(r)[tap] = is_inside ? frames.row(t - 1)[f - 1] : 0.0F;
    }
  }
  kernels::gemm({seen.view(), first_.weight, first_.bias}, x.written());
  relu(x.values.flat());
  x.clear_edges();
  for (const ResidualBlock& block : residuals_) x = apply(block, x);
  Planes y(x.frames, kLastBands);
  convolve(last_, x, y, false);
  relu(y.values.flat());
  constexpr std::size_t kEdge = kDelayTaps / 2;
  Matrix out(frames.rows + 2 * kEdge, kLastBands * kPlanes);
  for (std::size_t t = 0; t < frames.rows; ++t) {
    const ConstMatrixView bands = y.values.view().row_range(y.place(t, 0), kLastBands);
    std::copy_n(bands.data, out.cols(), out.row(t + kEdge).begin());
  }
  return out;
}

// Adds kGrowth columns behind the first `channels`.
void EmbeddingNet::apply(const DenseLayer& layer, std::size_t dilation, std::size_t channels,
                         MatrixView x) {
  Matrix normed = Matrix::uninitialised(x.rows, channels);
  affine_relu(x.col_range(0, channels), layer.norm, normed.view());
  Matrix padded(x.rows + 2 * dilation, kNarrow);
  const MatrixView narrow = padded.view().row_range(dilation, x.rows);
  kernels::gemm({normed.view(), layer.narrow.weight, layer.narrow.bias}, narrow);
  relu(padded.flat().subspan(dilation * kNarrow, x.rows * kNarrow));
  const MatrixView out = x.col_range(channels, kGrowth);
  for (std::size_t t = 0; t < kTapsOfThree; ++t) {
    kernels::gemm({padded.view().row_range(t * dilation, x.rows),
                   layer.local[t].weight,
                   {},
                   t > 0 ? Finish::add : Finish::replace},
                  out);
  }
  const std::size_t n_segments = (x.rows + kSegment - 1) / kSegment;
  Matrix contexts(n_segments, kNarrow);
  std::vector<float> mean(kNarrow);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const auto context = contexts.row(r / kSegment);
    for (std::size_t c = 0; c < kNarrow; ++c) context[c] += narrow.row(r)[c];
  }
  for (std::size_t s = 0; s < n_segments; ++s) {
    const std::size_t n = std::min(kSegment, x.rows - s * kSegment);
    for (std::size_t c = 0; c < kNarrow; ++c) {
      mean[c] += contexts.row(s)[c] / static_cast<float>(x.rows);
      contexts.row(s)[c] /= static_cast<float>(n);
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
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t c = 0; c < kGrowth; ++c) out.row(r)[c] *= gates.row(r / kSegment)[c];
  }
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
  const Matrix of_front = front(frames);
  const std::size_t n = (frames.rows - 1) / kDelayStride + 1;
  const std::size_t wide = of_front.cols();
  Matrix x = Matrix::uninitialised(n, kInitial);
  kernels::gemm({ConstMatrixView{of_front.data(), n, kDelayTaps * wide, kDelayStride * wide},
                 time_delay_.weight, time_delay_.bias},
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
    kernels::gemm({wider.view(), block.transit.weight, {}}, x.view());
  }
  affine_relu(x.view(), out_norm_, x.view());
  return pool(x.view());
}

}  // namespace wnpu::audio
