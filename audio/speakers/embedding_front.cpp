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

constexpr std::size_t kTaps = 3;
// Places of a frame of the last planes; those before have twice as many a halving.
constexpr std::size_t kLastPitch = EmbeddingFront::kLastBands + 1;

}  // namespace

// Activations [time, frequency, channels] with a frame of zeros before the first and after the
// last, and in each frame zeros before the first band and after the last: `pitch` places a frame.
struct EmbeddingFront::Planes {
  std::size_t frames, bands, pitch;
  Matrix values;  // [places(), channels]

  Planes(std::size_t n_frames, std::size_t n_bands)
      : frames(n_frames),
        bands(n_bands),
        pitch(kLastPitch * (n_bands / kLastBands)),
        values(Matrix::uninitialised(places(), kPlanes)) {}

  // The view of the last row's taps may end behind the last frame.
  std::size_t places() const { return (frames + 2) * pitch + kTaps + 1; }
  std::size_t place(std::size_t frame, std::size_t band) const {
    return (frame + 1) * pitch + 1 + band;
  }
  // Places that convolutions write, from place(0, 0) on.
  MatrixView written() {
    return values.view().row_range(place(0, 0), frames * pitch - (pitch - bands));
  }
  // Negative values become 0, and so does all around the bands, whatever it was.
  void rectify() {
    const MatrixView all = written();
    relu({all.data, all.rows * kPlanes});
    for (std::size_t frame = 0; frame <= frames; ++frame) {
      // After the last band of the frame before up to the first band of this one.
      const std::size_t from = frame == 0 ? 0 : place(frame - 1, bands);
      const std::size_t to = frame == frames ? places() : place(frame, 0);
      std::fill_n(values.row(from).data(), (to - from) * kPlanes, 0.0F);
    }
  }
};

// Rectified planes as the left side of products, in the numbers of the weights. Bytes have a scale
// a frame.
class EmbeddingFront::Operand {
 public:
  // For rows that begin `stride` places apart.
  Operand(const Planes& planes, std::size_t stride, kernels::DataType number)
      : planes_(planes), stride_(stride) {
    if (number != kernels::DataType::u8) return;
    bytes_.resize(planes.places() * kPlanes);
    const std::size_t size = planes.pitch * kPlanes;
    for (std::size_t frame = 0; frame < planes.frames + 2; ++frame) {
      const std::span<const float> values(planes.values.row(frame * planes.pitch).data(), size);
      const kernels::ByteScale scale = kernels::byte_scale(values);
      kernels::round_to_bytes(values, scale, std::span(bytes_).subspan(frame * size, size));
      scales_.insert(scales_.end(), planes.pitch / stride, kernels::scale_of_factor(scale.factor));
    }
    offsets_.resize(scales_.size());  // 0: nothing is negative
  }

  // Rows of `width` values, the first at place `at` of a frame; frames have zeros around them.
  kernels::PackedA rows(std::size_t frame, std::size_t at, std::size_t n, std::size_t width) const {
    const std::size_t place = frame * planes_.pitch + at;
    const ConstMatrixView view{planes_.values.row(place).data(), n, width, stride_ * kPlanes};
    if (bytes_.empty()) return view;
    kernels::PackedA side;
    side.data = reinterpret_cast<const std::byte*>(bytes_.data() + place * kPlanes);
    side.stride = stride_ * kPlanes;
    side.n_rows = n;
    side.n_steps = width / sizeof(kernels::U8Quad);
    side.scales = scales_.data() + frame * (planes_.pitch / stride_);
    side.offsets = offsets_.data();
    return side;
  }

 private:
  const Planes& planes_;
  std::size_t stride_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> scales_;
  std::vector<float> offsets_;
};

EmbeddingFront::EmbeddingFront(const StateDict& weights, kernels::DataType number)
    : number_(number) {
  first_ = pack_normed(weights.taps("head.conv1.weight", {kPlanes, 1, kTaps, kTaps}),
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
  const Matrix all = weights.taps(conv + ".weight", {kPlanes, kPlanes, kTaps, kTaps});
  const ChannelAffine affine = weights.batch_norm(norm, kPlanes);
  Convolution packed;
  packed.stride = stride;
  for (std::size_t time = 0; time < kTaps; ++time) {
    Matrix tap(kPlanes, kTaps * kPlanes);
    for (std::size_t o = 0; o < kPlanes; ++o) {
      for (std::size_t j = 0; j < tap.cols(); ++j) {
        const std::size_t from = (j / kPlanes * kTaps + time) * kPlanes + j % kPlanes;
        tap.row(o)[j] = all.row(o)[from] * affine.scale[o];
      }
    }
    packed.taps[time] =
        pack(std::move(tap), time == 0 ? affine.shift : std::vector<float>(), number_);
  }
  return packed;
}

void EmbeddingFront::convolve(const Convolution& conv, const Operand& x, Planes& y, bool adds) {
  const MatrixView out = y.written();
  for (std::size_t time = 0; time < kTaps; ++time) {
    const Finish finish = time > 0 || adds ? Finish::add : Finish::replace;
    kernels::gemm({x.rows(time, 0, out.rows, kTaps * kPlanes), conv.taps[time].weight,
                   conv.taps[time].bias, finish},
                  out);
  }
}

EmbeddingFront::Planes EmbeddingFront::apply(const ResidualBlock& block, const Planes& x) const {
  const std::size_t stride = block.first.stride;
  const Operand from(x, stride, number_);
  Planes inner(x.frames, x.bands / stride);
  assert(x.pitch == stride * inner.pitch);
  convolve(block.first, from, inner, false);
  inner.rectify();
  Planes y(x.frames, inner.bands);
  const MatrixView out = y.written();
  if (stride == 1) {
    models::copy(x.values.view().row_range(x.place(0, 0), out.rows), out);
  } else {
    kernels::gemm({from.rows(1, 1, out.rows, kPlanes), block.shortcut.weight, block.shortcut.bias},
                  out);
  }
  convolve(block.second, Operand(inner, 1, number_), y, true);
  y.rectify();
  return y;
}

Matrix EmbeddingFront::apply(ConstMatrixView frames) const {
  Planes x(frames.rows, kBands);
  Matrix seen(x.written().rows, kTaps * kTaps);
  for (std::size_t r = 0; r < seen.rows(); ++r) {
    const std::size_t frame = r / x.pitch;
    const std::size_t band = r % x.pitch;
    for (std::size_t tap = 0; tap < kTaps * kTaps; ++tap) {
      const std::size_t f = band + tap / kTaps;
      const std::size_t t = frame + tap % kTaps;
      const bool is_inside = f > 0 && f <= kBands && t > 0 && t <= frames.rows;
      seen.row(r)[tap] = is_inside ? frames.row(t - 1)[f - 1] : 0.0F;
    }
  }
  kernels::gemm({seen.view(), first_.weight, first_.bias}, x.written());
  x.rectify();
  for (const ResidualBlock& block : residuals_) x = apply(block, x);
  Planes y(x.frames, kLastBands);
  convolve(last_, Operand(x, last_.stride, number_), y, false);
  y.rectify();
  Matrix out(frames.rows + 2 * kEdge, kWidth);
  for (std::size_t t = 0; t < frames.rows; ++t)
    std::copy_n(y.values.row(y.place(t, 0)).data(), kWidth, out.row(t + kEdge).begin());
  return out;
}

}  // namespace wnpu::audio
