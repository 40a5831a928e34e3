#include "audio/vad/silero_vad.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "audio/vad/vad_kernel.h"
#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/base/thread_pool.h"
#include "models/files/safetensors_reader.h"
#include "models/kernels/products/gemm.h"
#include "models/weights/pack_weights.h"
#include "models/weights/weights.h"

namespace wnpu::audio {
namespace {

using models::Matrix;

constexpr std::size_t kContext = 64;  // samples of the block before
constexpr std::size_t kHop = 128;
constexpr std::size_t kReflected = 64;      // samples mirrored at the end of a block
constexpr std::size_t kFramesPerBlock = 4;  // (64 + 512 + 64 - 256) / 128 + 1
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
      throw error(name + ": expected a tensor of the Silero VAD of " +
                  std::to_string(shape.front()) + " rows, found none of its shape");
    }
    std::vector<float> out(found->second.size());
    models::read_finite({found->second, path_ + ": " + name}, out);
    return out;
  }

  Matrix matrix(const std::string& name, const std::vector<std::size_t>& shape) const {
    const auto flat = values(name, shape);
    Matrix m(shape.front(), flat.size() / shape.front());
    std::ranges::copy(flat, m.flat().begin());
    return m;
  }

  models::ModelError error(const std::string& what) const {
    return models::ModelError(path_ + ": " + what);
  }

 private:
  std::string path_;
  models::MappedFile file_;
  std::map<std::string, models::TensorView> tensors_;
};

// STFT weights of the file must be those of HannStft, which is computed in place of a product with
// them.
void check_stft(const Weights& file) {
  constexpr double kRounding = 1e-6;
  const Matrix weights = file.matrix("stft_conv.weight", {2 * HannStft::kBins, 1, HannStft::kSize});
  const auto differs = [](float found, double expected) {
    return !(std::abs(static_cast<double>(found) - expected) <= kRounding);
  };
  for (std::size_t i = 0; i < HannStft::kBins * HannStft::kSize; ++i) {
    const std::size_t k = i / HannStft::kSize;
    const std::size_t n = i % HannStft::kSize;
    const auto [re, im] = HannStft::weight(k, n);
    if (differs(weights.row(k)[n], re) || differs(weights.row(HannStft::kBins + k)[n], im))
      throw file.error("stft_conv.weight: expected a DFT under a Hann window, found other weights");
  }
}

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

}  // namespace

// A frame of the result sees the frame at its place times `stride`, and one on either side.
SileroVad::Taps SileroVad::taps_that_see(std::size_t frames, std::size_t stride) {
  const std::size_t first = frames > stride ? 0 : 1;
  const std::size_t last = frames > 1 ? 2 : 1;
  return {first, last + 1 - first};
}

SileroVad::SileroVad(const std::filesystem::path& weights)
    : stft_(kBlocksAtOnce * kFramesPerBlock),
      magnitudes_(kBlocksAtOnce * kFramesPerBlock, HannStft::kBins),
      gates_(kBlocksAtOnce, 4 * kWidth),
      pending_(kContext),
      hidden_(kWidth),
      cell_(kWidth) {
  const Weights file(weights);
  check_stft(file);
  models::ThreadPool pool(1);
  const auto pack = [&pool](Matrix matrix, std::vector<float> bias) {
    const models::LinearWeights linear{std::move(matrix), std::move(bias)};
    return models::pack_linear(pool, kernels::DataType::f32, {linear});
  };
  constexpr std::array<std::array<std::size_t, 3>, 4> kShapes = {
      // out, in, stride
      {{128, HannStft::kBins, 1}, {64, 128, 2}, {64, 64, 2}, {128, 64, 1}}};
  std::size_t frames = kFramesPerBlock;
  for (std::size_t i = 0; i < kShapes.size(); ++i) {
    const auto [out, in, stride] = kShapes[i];
    const std::string name = "conv" + std::to_string(i + 1);
    const Taps taps = taps_that_see(frames, stride);
    const auto flat = file.values(name + ".weight", {out, in, kTaps});
    Matrix matrix(out, taps.count * in);
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t j = 0; j < taps.count * in; ++j)
        matrix.row(o)[j] = flat[(o * in + j % in) * kTaps + taps.first + j / in];
    }
    const std::size_t frames_out = (frames - 1) / stride + 1;
    const std::size_t rows = kBlocksAtOnce * frames_out;
    convolutions_.push_back({pack(std::move(matrix), file.values(name + ".bias", {out})), stride,
                             taps, frames, frames_out, Matrix(rows, taps.count * in),
                             Matrix(rows, out)});
    frames = frames_out;
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

std::vector<float> SileroVad::take() {
  const std::size_t n_blocks = (pending_.size() - kContext) / kBlockSamples;
  if (n_blocks > 0) run(n_blocks);
  return std::exchange(probabilities_, {});
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
  models::ConstMatrixView x = spectra(n_blocks);
  for (Convolution& conv : convolutions_) x = convolve(conv, x);
  run_lstm(x);
  pending_.erase(pending_.begin(),
                 pending_.begin() + static_cast<std::ptrdiff_t>(n_blocks * kBlockSamples));
}

models::ConstMatrixView SileroVad::spectra(std::size_t n_blocks) {
  std::array<float, kContext + kBlockSamples + kReflected> block;
  for (std::size_t b = 0; b < n_blocks; ++b) {
    const std::size_t n = kContext + kBlockSamples;
    std::copy_n(pending_.begin() + static_cast<std::ptrdiff_t>(b * kBlockSamples), n,
                block.begin());
    for (std::size_t i = 0; i < kReflected; ++i) block[n + i] = block[n - 2 - i];
    for (std::size_t f = 0; f < kFramesPerBlock; ++f) {
      stft_.set_frame(b * kFramesPerBlock + f,
                      std::span<const float>(block).subspan(f * kHop, HannStft::kSize));
    }
  }
  const models::MatrixView out = magnitudes_.view().row_range(0, n_blocks * kFramesPerBlock);
  stft_.magnitudes(out);
  return out;
}

// Inputs of the taps for row `r` of the result: zeros outside its block.
void SileroVad::see(const Convolution& conv, models::ConstMatrixView x, std::size_t r,
                    std::span<float> seen) {
  const std::size_t block = r / conv.frames_out * conv.frames_in;
  for (std::size_t i = 0; i < conv.taps.count; ++i) {
    const std::span<float> to = seen.subspan(i * x.cols, x.cols);
    // 1 is the block's first frame.
    const std::size_t at = r % conv.frames_out * conv.stride + conv.taps.first + i;
    if (at == 0 || at > conv.frames_in) {
      std::ranges::fill(to, 0.0F);
    } else {
      std::ranges::copy(x.row(block + at - 1), to.begin());
    }
  }
}

// relu(conv(x)) with a zero frame at both ends of each block's frames.
models::ConstMatrixView SileroVad::convolve(Convolution& conv, models::ConstMatrixView x) {
  const std::size_t n_rows = x.rows / conv.frames_in * conv.frames_out;
  for (std::size_t r = 0; r < n_rows; ++r) see(conv, x, r, conv.seen.row(r));
  const models::MatrixView y = conv.y.view().row_range(0, n_rows);
  kernels::gemm({conv.seen.view().row_range(0, n_rows), conv.weights.weight, conv.weights.bias}, y);
  relu(conv.y.flat().first(n_rows * y.cols));
  return y;
}

// A step of the LSTM and a probability for each row.
void SileroVad::run_lstm(models::ConstMatrixView features) {
  const models::MatrixView gates = gates_.view().row_range(0, features.rows);
  kernels::gemm({features, input_gates_.weight, input_gates_.bias}, gates);
  for (std::size_t r = 0; r < features.rows; ++r) {
    const models::ConstMatrixView hidden{hidden_.data(), 1, kWidth, kWidth};
    kernels::gemm({hidden, hidden_gates_.weight, hidden_gates_.bias, kernels::Finish::add},
                  gates.row_range(r, 1));
    lstm_step(gates.row(r), cell_, hidden_);
    float sum = output_bias_;
    for (std::size_t i = 0; i < kWidth; ++i) sum += output_weight_[i] * std::max(hidden_[i], 0.0F);
    probabilities_.push_back(sigmoid(sum));
  }
}

}  // namespace wnpu::audio
