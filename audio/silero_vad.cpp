#include "audio/silero_vad.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "audio/lstm_kernel.h"
#include "models/error.h"
#include "models/gemm.h"
#include "models/mapped_file.h"
#include "models/safetensors_reader.h"
#include "models/thread_pool.h"

namespace wnpu::audio {
namespace {

using models::Matrix;

constexpr std::size_t kContext = 64;  // samples of the block before
constexpr std::size_t kFft = 256;     // window of the STFT
constexpr std::size_t kHop = 128;
constexpr std::size_t kReflected = 64;      // samples mirrored at the end of a block
constexpr std::size_t kFramesPerBlock = 4;  // (64 + 512 + 64 - 256) / 128 + 1
constexpr std::size_t kBins = kFft / 2 + 1;
constexpr std::size_t kTaps = 3;
constexpr std::size_t kWidth = 128;        // of the LSTM
constexpr std::size_t kBlocksAtOnce = 32;  // about a second: enough for good matrix products

// Looks tensors up by name and shape.
class Weights {
 public:
  explicit Weights(const std::filesystem::path& path)
      : path_(path.string()),
        file_(path),
        tensors_(models::read_safetensors(file_.bytes(), path_)) {}

  std::vector<float> values(const std::string& name, const std::vector<std::size_t>& shape) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end() || found->second.shape != shape) {
      throw models::ModelError(path_ + ": " + name + ": expected a tensor of the Silero VAD of " +
                               std::to_string(shape.front()) + " rows, found none of its shape");
    }
    std::vector<float> out(found->second.size());
    models::dequantize(found->second, out);
    return out;
  }

  Matrix matrix(const std::string& name, const std::vector<std::size_t>& shape) const {
    const auto flat = values(name, shape);
    Matrix m(shape.front(), flat.size() / shape.front());
    std::ranges::copy(flat, m.flat().begin());
    return m;
  }

 private:
  std::string path_;
  models::MappedFile file_;
  std::map<std::string, models::TensorView> tensors_;
};

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

}  // namespace

SileroVad::SileroVad(const std::filesystem::path& weights)
    : pending_(kContext), hidden_(kWidth), cell_(kWidth) {
  const Weights file(weights);
  models::ThreadPool pool(1);
  const auto pack = [&pool](Matrix matrix, std::vector<float> bias) {
    return models::pack_linear(pool, {std::move(matrix), std::move(bias)}, models::Storage::fp32);
  };
  stft_ = pack(file.matrix("stft_conv.weight", {2 * kBins, 1, kFft}), {});
  constexpr std::array<std::array<std::size_t, 3>, 4> kShapes = {
      // out, in, stride
      {{128, kBins, 1}, {64, 128, 2}, {64, 64, 2}, {128, 64, 1}}};
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    const auto [out, in, stride] = kShapes[i];
    const std::string name = "conv" + std::to_string(i + 1);
    const auto flat = file.values(name + ".weight", {out, in, kTaps});
    Matrix taps(out, kTaps * in);
    for (std::size_t j = 0; j < flat.size(); ++j)
      taps.row(j / (kTaps * in))[j % kTaps * in + j / kTaps % in] = flat[j];
    convolutions_.push_back({pack(std::move(taps), file.values(name + ".bias", {out})), stride});
  }
  input_gates_ = pack(file.matrix("lstm_cell.weight_ih", {4 * kWidth, kWidth}),
                      file.values("lstm_cell.bias_ih", {4 * kWidth}));
  hidden_gates_ = pack(file.matrix("lstm_cell.weight_hh", {4 * kWidth, kWidth}),
                       file.values("lstm_cell.bias_hh", {4 * kWidth}));
  output_weight_ = file.values("final_conv.weight", {1, kWidth, 1});
  output_bias_ = file.values("final_conv.bias", {1}).front();
}

void SileroVad::push(std::span<const float> samples) {
  while (!samples.empty()) {
    const std::size_t wanted = kContext + kBlocksAtOnce * kBlockSamples - pending_.size();
    const std::size_t n = std::min(wanted, samples.size());
    pending_.insert(pending_.end(), samples.begin(),
                    samples.begin() + static_cast<std::ptrdiff_t>(n));
    samples = samples.subspan(n);
    if (n == wanted) run(kBlocksAtOnce);
  }
}

std::vector<float> SileroVad::finish() {
  const std::size_t n_samples = pending_.size() - kContext;
  const std::size_t n_blocks = (n_samples + kBlockSamples - 1) / kBlockSamples;
  pending_.resize(kContext + n_blocks * kBlockSamples);
  if (n_blocks > 0) run(n_blocks);
  pending_.assign(kContext, 0.0F);
  hidden_.assign(kWidth, 0.0F);
  cell_.assign(kWidth, 0.0F);
  return std::exchange(probabilities_, {});
}

void SileroVad::run(std::size_t n_blocks) {
  Matrix x = spectra(n_blocks);
  std::size_t per_block = kFramesPerBlock;
  for (const Convolution& conv : convolutions_) {
    x = convolve(conv, x, per_block);
    per_block = x.rows() / n_blocks;
  }
  run_lstm(x);
  pending_.erase(pending_.begin(),
                 pending_.begin() + static_cast<std::ptrdiff_t>(n_blocks * kBlockSamples));
}

// Magnitudes of the learned STFT: [n_blocks * 4, 129].
Matrix SileroVad::spectra(std::size_t n_blocks) {
  Matrix frames(n_blocks * kFramesPerBlock, kFft);
  std::vector<float> block(kContext + kBlockSamples + kReflected);
  for (std::size_t b = 0; b < n_blocks; ++b) {
    const std::size_t n = kContext + kBlockSamples;
    std::copy_n(pending_.begin() + static_cast<std::ptrdiff_t>(b * kBlockSamples), n,
                block.begin());
    for (std::size_t i = 0; i < kReflected; ++i) block[n + i] = block[n - 2 - i];
    for (std::size_t f = 0; f < kFramesPerBlock; ++f) {
      std::ranges::copy(std::span(block).subspan(f * kHop, kFft),
                        frames.row(b * kFramesPerBlock + f).begin());
    }
  }
  Matrix parts(frames.rows(), 2 * kBins);
  models::gemm({frames.view(), stft_.weight, {}}, parts.view());
  Matrix magnitudes(frames.rows(), kBins);
  for (std::size_t r = 0; r < parts.rows(); ++r) {
    for (std::size_t i = 0; i < kBins; ++i) {
      const float re = parts.row(r)[i];
      const float im = parts.row(r)[kBins + i];
      magnitudes.row(r)[i] = std::sqrt(re * re + im * im);
    }
  }
  return magnitudes;
}

namespace {

// What the three taps see for each row of the result: zeros outside its block.
Matrix frames_seen(const Matrix& x, std::size_t stride, std::size_t per_block) {
  const std::size_t out_per_block = (per_block - 1) / stride + 1;
  Matrix seen(x.rows() / per_block * out_per_block, kTaps * x.cols());
  for (std::size_t r = 0; r < seen.rows(); ++r) {
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      const std::size_t at = r % out_per_block * stride + tap;  // 1 is the block's first frame
      if (at == 0 || at > per_block) continue;
      const auto frame = x.row(r / out_per_block * per_block + at - 1);
      std::ranges::copy(frame, seen.row(r).subspan(tap * x.cols()).begin());
    }
  }
  return seen;
}

}  // namespace

// relu(conv(x)) with a zero frame at both ends of each block's `per_block` frames.
Matrix SileroVad::convolve(const Convolution& conv, const Matrix& x, std::size_t per_block) {
  const Matrix seen = frames_seen(x, conv.stride, per_block);
  Matrix y(seen.rows(), conv.weights.weight.n());
  models::gemm({seen.view(), conv.weights.weight, conv.weights.bias}, y.view());
  for (float& value : y.flat()) value = std::max(value, 0.0F);
  return y;
}

// A step of the LSTM and a probability for each row.
void SileroVad::run_lstm(const Matrix& features) {
  Matrix gates(features.rows(), 4 * kWidth);
  models::gemm({features.view(), input_gates_.weight, input_gates_.bias}, gates.view());
  for (std::size_t r = 0; r < features.rows(); ++r) {
    const models::ConstMatrixView hidden{hidden_.data(), 1, kWidth, kWidth};
    models::gemm({hidden, hidden_gates_.weight, hidden_gates_.bias, models::Finish::add},
                 gates.view().row_range(r, 1));
    lstm_step(gates.row(r), cell_, hidden_);
    float sum = output_bias_;
    for (std::size_t i = 0; i < kWidth; ++i) sum += output_weight_[i] * std::max(hidden_[i], 0.0F);
    probabilities_.push_back(sigmoid(sum));
  }
}

}  // namespace wnpu::audio
