#include "audio/speakers/segmentation_net.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "audio/speakers/network_ops.h"
#include "audio/vad/vad_kernel.h"
#include "models/kernels/products/gemm.h"

namespace wnpu::audio {
namespace {

using kernels::DataType;
using models::ConstMatrixView;
using models::Matrix;
using models::MatrixView;

constexpr std::size_t kSincs = 40;  // band passes, each once even and once odd
constexpr std::size_t kSincTaps = 251;
constexpr std::size_t kSincStride = 10;
constexpr std::size_t kPool = 3;
constexpr std::size_t kTapsOfFive = 5;
constexpr std::array<std::size_t, 4> kChannels = {1, 80, 60, 60};
constexpr std::size_t kHidden = 128;
constexpr std::size_t kLayers = 4;
constexpr float kSlope = 0.01F;  // of torch's leaky ReLU

// Band passes between learnt frequencies (Ravanelli and Bengio, "Speaker recognition from raw
// waveform with SincNet", https://arxiv.org/abs/1808.00158; odd ones:
// https://arxiv.org/abs/1910.10400): half of the filter is the sinc pair under a Hamming window,
// the other its mirror image.
Matrix sinc_filters(const std::vector<float>& low_hz, const std::vector<float>& band_hz) {
  constexpr double kLeastLow = 50, kLeastBand = 50, kRate = 16000;
  constexpr std::size_t kHalf = kSincTaps / 2;
  Matrix filters(2 * kSincs, kSincTaps);
  for (std::size_t f = 0; f < kSincs; ++f) {
    const double low = kLeastLow + std::abs(static_cast<double>(low_hz[f]));
    const double high = std::clamp(low + kLeastBand + std::abs(static_cast<double>(band_hz[f])),
                                   kLeastLow, kRate / 2);
    const double width = 2 * (high - low);
    filters.row(f)[kHalf] = 1;
    for (std::size_t i = 0; i < kHalf; ++i) {
      const double t = 2 * std::numbers::pi * (static_cast<double>(i) - kHalf) / kRate;
      const double window =
          0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / (kSincTaps - 1));
      const double even = (std::sin(high * t) - std::sin(low * t)) / (t / 2) * window / width;
      const double odd = (std::cos(low * t) - std::cos(high * t)) / (t / 2) * window / width;
      filters.row(f)[i] = filters.row(f)[kSincTaps - 1 - i] = static_cast<float>(even);
      filters.row(kSincs + f)[i] = static_cast<float>(odd);
      filters.row(kSincs + f)[kSincTaps - 1 - i] = static_cast<float>(-odd);
    }
  }
  return filters;
}

// Rows that a convolution makes of so many.
constexpr std::size_t convolved(std::size_t rows, std::size_t taps, std::size_t stride) {
  return (rows - taps) / stride + 1;
}

}  // namespace

SegmentationNet::SegmentationNet(const StateDict& weights, kernels::DataType number) {
  const std::string net = "sincnet.";
  wave_scale_ = weights.values(net + "wav_norm1d.weight", {1}).front();
  wave_shift_ = weights.values(net + "wav_norm1d.bias", {1}).front();
  const std::string filterbank = net + "conv1d.0.filterbank.";
  for (std::size_t i = 0; i < convolutions_.size(); ++i) {
    const std::string index = std::to_string(i);
    const std::size_t in = kChannels[i];
    const std::size_t out = kChannels[i + 1];
    convolutions_[i].norm = {weights.values(net + "norm1d." + index + ".weight", {out}),
                             weights.values(net + "norm1d." + index + ".bias", {out})};
    if (i == 0) {  // a wave has more than 8 bits
      convolutions_[i].weights =
          pack(sinc_filters(weights.values(filterbank + "low_hz_", {kSincs, 1}),
                            weights.values(filterbank + "band_hz_", {kSincs, 1})),
               {}, number == DataType::u8 ? DataType::i16 : number);
      continue;
    }
    const std::string conv = net + "conv1d." + index;
    convolutions_[i].weights = pack(weights.taps(conv + ".weight", {out, in, kTapsOfFive}),
                                    weights.values(conv + ".bias", {out}), number);
  }
  load_lstm(weights, number);
  constexpr std::array<std::size_t, 4> kWidths = {2 * kHidden, kHidden, kHidden, kClasses};
  constexpr std::array<const char*, 3> kNames = {"linear.0", "linear.1", "classifier"};
  for (std::size_t i = 0; i < linear_.size(); ++i) {
    const std::string name = kNames[i];
    linear_[i] =
        pack(weights.taps(name + ".weight", {kWidths[i + 1], kWidths[i]}),
             weights.values(name + ".bias", {kWidths[i + 1]}), i == 0 ? number : DataType::f32);
  }
}

void SegmentationNet::load_lstm(const StateDict& weights, kernels::DataType number) {
  constexpr std::size_t kGates = 4 * kHidden;
  std::size_t in = kChannels.back();
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    std::array<Direction, 2> directions;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      const std::string end = "_l" + std::to_string(layer) + (i == 0 ? "" : "_reverse");
      std::vector<float> bias = weights.values("lstm.bias_ih" + end, {kGates});
      const std::vector<float> more = weights.values("lstm.bias_hh" + end, {kGates});
      for (std::size_t j = 0; j < kGates; ++j) bias[j] += more[j];
      directions[i].input =
          pack(weights.taps("lstm.weight_ih" + end, {kGates, in}), std::move(bias), number);
      directions[i].hidden =
          pack(weights.taps("lstm.weight_hh" + end, {kGates, kHidden}), {}, number);
    }
    lstm_.push_back(std::move(directions));
    in = 2 * kHidden;
  }
}

Matrix SegmentationNet::features(std::span<const float> window) const {
  constexpr std::size_t kPooledAtOnce = 64;
  std::vector<float> wave(window.begin(), window.end());
  normalise_wave(wave, wave_scale_, wave_shift_);
  Matrix x;
  ConstMatrixView seen{wave.data(), wave.size(), 1, 1};
  for (std::size_t i = 0; i < convolutions_.size(); ++i) {
    const std::size_t taps = i == 0 ? kSincTaps : kTapsOfFive;
    const std::size_t stride = i == 0 ? kSincStride : 1;
    const std::size_t width = seen.cols;
    const std::size_t n_pooled = convolved(seen.rows, taps, stride) / kPool;
    const std::size_t out = kChannels[i + 1];
    Matrix pooled(n_pooled, out);
    Matrix part(kPooledAtOnce * kPool, out);
    for (std::size_t first = 0; first < n_pooled; first += kPooledAtOnce) {
      const std::size_t n = std::min(kPooledAtOnce, n_pooled - first);
      const ConstMatrixView rows{seen.data + first * kPool * stride * width, n * kPool,
                                 taps * width, stride * width};
      const MatrixView sums = part.view().row_range(0, n * kPool);
      apply(convolutions_[i].weights, rows, sums);
      if (i == 0) absolute(sums);
      max_of_three(sums, pooled.view().row_range(first, n));
    }
    normalise_instance(pooled.view(), convolutions_[i].norm);
    leaky_relu(pooled.flat(), kSlope);
    x = std::move(pooled);
    seen = x.view();
  }
  return x;
}

void SegmentationNet::run_lstm(const Direction& direction, bool is_backward, ConstMatrixView x,
                               MatrixView gates, MatrixView y) {
  const std::size_t n_windows = x.rows / kFrames;
  apply(direction.input, x, gates);
  Matrix cells(n_windows, kHidden);
  LeftSide left(direction.hidden.weight, n_windows, kHidden);
  for (std::size_t i = 0; i < kFrames; ++i) {
    const std::size_t at = (is_backward ? kFrames - 1 - i : i) * n_windows;
    const MatrixView now = gates.row_range(at, n_windows);
    if (i > 0) {
      const std::size_t before = is_backward ? at + n_windows : at - n_windows;
      kernels::gemm({left.of(y.row_range(before, n_windows)),
                     direction.hidden.weight,
                     {},
                     kernels::Finish::add},
                    now);
    }
    for (std::size_t w = 0; w < n_windows; ++w) lstm_step(now.row(w), cells.row(w), y.row(at + w));
  }
}

Matrix SegmentationNet::scores(std::span<const std::span<const float>> windows) const {
  const std::size_t n_rows = kFrames * windows.size();
  Matrix x(n_rows, kChannels.back());
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const Matrix of_window = features(windows[w]);
    for (std::size_t f = 0; f < kFrames; ++f)
      std::ranges::copy(of_window.row(f), x.row(f * windows.size() + w).begin());
  }
  // Big ones, once for all layers: memory that is new costs time.
  Matrix gates = Matrix::uninitialised(n_rows, 4 * kHidden);
  Matrix y = Matrix::uninitialised(n_rows, 2 * kHidden);
  for (const auto& directions : lstm_) {
    for (std::size_t i = 0; i < directions.size(); ++i) {
      run_lstm(directions[i], i == 1, x.view(), gates.view(),
               y.view().col_range(i * kHidden, kHidden));
    }
    if (x.cols() != y.cols()) x = Matrix::uninitialised(n_rows, y.cols());
    std::swap(x, y);
  }
  for (std::size_t i = 0; i < linear_.size(); ++i) {
    y = Matrix::uninitialised(n_rows, linear_[i].weight.n());
    apply(linear_[i], x.view(), y.view());
    if (i + 1 < linear_.size()) leaky_relu(y.flat(), kSlope);
    x = std::move(y);
  }
  return x;
}

std::vector<SegmentationNet::Frames> SegmentationNet::speakers(
    std::span<const std::span<const float>> windows) const {
  const Matrix of_classes = scores(windows);
  std::vector<Frames> out(windows.size());
  for (std::size_t r = 0; r < of_classes.rows(); ++r) {
    const auto row = of_classes.row(r);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    out[r % windows.size()][r / windows.size()] = kSpeakersOf[best];
  }
  return out;
}

}  // namespace wnpu::audio
