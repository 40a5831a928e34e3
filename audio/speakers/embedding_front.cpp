#include "audio/speakers/embedding_front.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "audio/vad/vad_kernel.h"
#include "models/kernels/operands/quantise.h"
#include "models/kernels/operands/u8_matrix.h"
#include "models/kernels/products/gemm.h"

namespace wnpu::audio {
namespace {

using kernels::Finish;
using models::ConstMatrixView;
using models::Matrix;
using models::MatrixView;

constexpr std::size_t kReach = 3;  // neighbours of a convolution, in time and in frequency
// Frames whose sums are in the fastest cache until they are rounded.
constexpr std::size_t kFramesAtOnce = 8;
// Places of a frame: more than it has bands, so that each has a zero before and behind it.
constexpr std::size_t pitch_of(std::size_t bands) {
  return bands / EmbeddingFront::kLastBands * (EmbeddingFront::kLastBands + 1);
}
constexpr std::size_t kMostPitch = pitch_of(EmbeddingFront::kBands);

// f({first, n}) for a few frames at a time.
template <typename F>
void for_frames(std::size_t n_frames, const F& f) {
  for (std::size_t first = 0; first < n_frames; first += kFramesAtOnce)
    f({first, std::min(kFramesAtOnce, n_frames - first)});
}

// Neighbours of each band of a frame, which the first convolution sees; 0 beyond the edges.
void see(ConstMatrixView frames, std::size_t frame, MatrixView seen) {
  for (std::size_t band = 0; band < frames.cols; ++band) {
    for (std::size_t tap = 0; tap < kReach * kReach; ++tap) {
      const std::size_t f = band + tap / kReach;
      const std::size_t t = frame + tap % kReach;
      const bool is_inside = f > 0 && f <= frames.cols && t > 0 && t <= frames.rows;
      seen.row(band)[tap] = is_inside ? frames.row(t - 1)[f - 1] : 0.0F;
    }
  }
}

}  // namespace

struct EmbeddingFront::FrameRange {
  std::size_t first, n;

  FrameRange from(std::size_t frame) const { return {first + frame, n}; }
};

// Rectified activations [time, frequency, channels] as the left side of products, in the numbers of
// the weights: a place of zeros before the bands of a frame, as many behind them as the pitch
// leaves, and a frame of zeros before the first and behind the last. Bytes have a scale a frame.
class EmbeddingFront::Planes {
 public:
  Planes(std::size_t n_frames, std::size_t n_bands, kernels::DataType number)
      : frames(n_frames), bands(n_bands), pitch(pitch_of(n_bands)), scales_(n_frames + 2) {
    // The view of the last row's taps ends behind the last frame.
    const std::size_t places = (frames + 2) * pitch + kReach;
    if (number == kernels::DataType::u8) {
      bytes_.resize(places * kPlanes);
    } else {
      floats_ = Matrix(places, kPlanes);
    }
  }

  std::size_t frames, bands, pitch;

  // Rectifies frames, `pitch` rows each, and keeps their first rows: the bands.
  void set(std::size_t first, MatrixView rows) {
    relu({rows.data, rows.rows * kPlanes});
    for (std::size_t i = 0; i < rows.rows / pitch; ++i) {
      const std::span<const float> values(rows.row(i * pitch).data(), bands * kPlanes);
      const std::size_t to = ((first + i + 1) * pitch + 1) * kPlanes;
      if (bytes_.empty()) {
        std::ranges::copy(values, floats_.flat().subspan(to).begin());
        continue;
      }
      const kernels::ByteScale scale = kernels::byte_scale(values);
      kernels::round_to_bytes(values, scale, std::span(bytes_).subspan(to, values.size()));
      scales_[first + i + 1] = kernels::scale_of_factor(scale.factor);
    }
  }

  // Rows of `width` values that begin `stride` places apart, from a place of a frame on; the frame
  // of zeros before the first is number 0. Scales of the rows are written to `scales`.
  kernels::PackedA rows(FrameRange of, std::size_t place, std::size_t stride, std::size_t width,
                        std::span<float> scales) const {
    static constexpr std::array<float, kFramesAtOnce * kMostPitch> kOffsets{};  // none is negative
    const std::size_t of_frame = pitch / stride;
    const std::size_t from = (of.first * pitch + place) * kPlanes;
    if (bytes_.empty()) {
      return ConstMatrixView{floats_.data() + from, of.n * of_frame, width, stride * kPlanes};
    }
    for (std::size_t i = 0; i < of.n; ++i)
      std::ranges::fill(scales.subspan(i * of_frame, of_frame), scales_[of.first + i]);
    kernels::PackedA side;
    side.data = reinterpret_cast<const std::byte*>(bytes_.data() + from);
    side.stride = stride * kPlanes;
    side.n_rows = of.n * of_frame;
    side.n_steps = width / sizeof(kernels::U8Quad);
    side.scales = scales.data();
    side.offsets = kOffsets.data();
    return side;
  }

 private:
  std::vector<std::uint8_t> bytes_;
  Matrix floats_;
  std::vector<float> scales_;
};

EmbeddingFront::EmbeddingFront(const StateDict& weights, kernels::DataType number)
    : number_(number) {
  first_ = pack_normed(weights.taps("head.conv1.weight", {kPlanes, 1, kReach, kReach}),
                       weights.batch_norm("head.bn1", kPlanes));
  for (std::size_t i = 0; i < residuals_.size(); ++i) {
    const std::string name = "head.layer" + std::to_string(i / 2 + 1) + "." + std::to_string(i % 2);
    const std::size_t stride = i % 2 == 0 ? 2 : 1;
    residuals_[i].first = load(weights, name + ".conv1", name + ".bn1", stride);
    residuals_[i].second = load(weights, name + ".conv2", name + ".bn2", 1);
    if (stride == 1) continue;
    residuals_[i].shortcut =
        pack_normed(weights.taps(name + ".shortcut.0.weight", {kPlanes, kPlanes, 1, 1}),
                    weights.batch_norm(name + ".shortcut.1", kPlanes), number_);
  }
  last_ = load(weights, "head.conv2", "head.bn2", 2);
}

EmbeddingFront::Convolution EmbeddingFront::load(const StateDict& weights, const std::string& conv,
                                                 const std::string& norm,
                                                 std::size_t stride) const {
  // Taps of the file: [out, frequency * 3 + time, in].
  const Matrix all = weights.taps(conv + ".weight", {kPlanes, kPlanes, kReach, kReach});
  const ChannelAffine affine = weights.batch_norm(norm, kPlanes);
  Convolution packed;
  packed.stride = stride;
  for (std::size_t time = 0; time < kReach; ++time) {
    Matrix tap(kPlanes, kReach * kPlanes);
    for (std::size_t i = 0; i < tap.size(); ++i) {
      const std::size_t o = i / tap.cols();
      const std::size_t j = i % tap.cols();
      const std::size_t from = (j / kPlanes * kReach + time) * kPlanes + j % kPlanes;
      tap.row(o)[j] = all.row(o)[from] * affine.scale[o];
    }
    packed.taps[time] =
        pack(std::move(tap), time == 0 ? affine.shift : std::vector<float>(), number_);
  }
  return packed;
}

// Sums of some frames.
void EmbeddingFront::convolve(const Convolution& conv, const Planes& x, FrameRange of,
                              MatrixView out, bool adds) {
  std::array<float, kFramesAtOnce * kMostPitch> scales;
  for (std::size_t time = 0; time < kReach; ++time) {
    const Finish finish = time > 0 || adds ? Finish::add : Finish::replace;
    kernels::gemm({x.rows(of.from(time), 0, conv.stride, kReach * kPlanes, scales),
                   conv.taps[time].weight, conv.taps[time].bias, finish},
                  out);
  }
}

EmbeddingFront::Planes EmbeddingFront::apply(const ResidualBlock& block, const Planes& x,
                                             Matrix& values) const {
  const std::size_t stride = block.first.stride;
  Planes inner(x.frames, x.bands / stride, number_);
  Matrix sums = Matrix::uninitialised(kFramesAtOnce * inner.pitch, kPlanes);
  for_frames(x.frames, [&](const FrameRange& of) {
    const MatrixView some = sums.view().row_range(0, of.n * inner.pitch);
    convolve(block.first, x, of, some, false);
    inner.set(of.first, some);
  });
  Planes y(x.frames, inner.bands, number_);
  if (stride > 1) values = Matrix::uninitialised(x.frames * y.pitch, kPlanes);
  for_frames(x.frames, [&](const FrameRange& of) {
    const MatrixView some = values.view().row_range(of.first * y.pitch, of.n * y.pitch);
    std::array<float, kFramesAtOnce * kMostPitch> scales;
    if (stride > 1) {
      kernels::gemm({x.rows(of.from(1), 1, stride, kPlanes, scales), block.shortcut.weight,
                     block.shortcut.bias},
                    some);
    }
    convolve(block.second, inner, of, some, true);
    y.set(of.first, some);
  });
  return y;
}

EmbeddingFront::Planes EmbeddingFront::first(ConstMatrixView frames) const {
  Planes x(frames.rows, kBands, number_);
  Matrix seen(x.pitch, kReach * kReach);
  Matrix sums = Matrix::uninitialised(x.pitch, kPlanes);
  for (std::size_t frame = 0; frame < frames.rows; ++frame) {
    see(frames, frame, seen.view());
    kernels::gemm({seen.view(), first_.weight, first_.bias}, sums.view());
    x.set(frame, sums.view());
  }
  return x;
}

Matrix EmbeddingFront::apply(ConstMatrixView frames) const {
  Matrix values;
  Planes x = first(frames);
  for (const ResidualBlock& block : residuals_) {
    Planes y = apply(block, x, values);
    x = std::move(y);
  }
  Matrix out(frames.rows + 2 * kEdge, kWidth);
  constexpr std::size_t kPitch = pitch_of(kLastBands);
  Matrix sums = Matrix::uninitialised(kFramesAtOnce * kPitch, kPlanes);
  for_frames(frames.rows, [&](const FrameRange& of) {
    convolve(last_, x, of, sums.view().row_range(0, of.n * kPitch), false);
    relu(sums.flat());
    for (std::size_t i = 0; i < of.n; ++i)
      std::copy_n(sums.row(i * kPitch).data(), kWidth, out.row(of.first + i + kEdge).begin());
  });
  return out;
}

}  // namespace wnpu::audio
