#include "audio/speakers/layers.h"

#include <utility>

#include "models/base/thread_pool.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/pack_weights.h"

namespace wnpu::audio {

using kernels::DataType;
using kernels::Finish;

kernels::DataType quick_number() {
  return kernels::has_byte_products() ? DataType::u8 : DataType::f32;
}

kernels::Linear pack(models::Matrix weights, std::vector<float> bias, DataType number) {
  models::ThreadPool pool(1);
  kernels::Linear layer;
  layer.weight = models::pack_weights(pool, weights.view(), number);
  layer.bias = std::move(bias);
  return layer;
}

kernels::Linear pack_normed(models::Matrix weights, const ChannelAffine& norm, DataType number) {
  for (std::size_t o = 0; o < weights.rows(); ++o) {
    for (float& w : weights.row(o)) w *= norm.scale[o];
  }
  return pack(std::move(weights), norm.shift, number);
}

LeftSide::LeftSide(const kernels::PackedB& weight, std::size_t max_rows, std::size_t max_cols)
    : limit_(weight.left_limit()) {
  if (weight.number() == DataType::i16) words_.emplace(max_rows, max_cols);
  if (weight.number() == DataType::u8) bytes_.emplace(max_rows, max_cols);
}

kernels::PackedA LeftSide::of(models::ConstMatrixView x) {
  if (words_) {
    words_->set(x, limit_);
    return *words_;
  }
  if (!bytes_) return x;
  bytes_->set(x);
  return *bytes_;
}

void apply(const kernels::Linear& layer, models::ConstMatrixView x, models::MatrixView y,
           Finish finish) {
  LeftSide left(layer.weight, x.rows, x.cols);
  kernels::gemm({left.of(x), layer.weight, layer.bias, finish}, y);
}

void apply_taps(std::span<const kernels::Linear> taps, std::size_t dilation,
                models::ConstMatrixView x, models::MatrixView y) {
  LeftSide left(taps.front().weight, x.rows, x.cols);
  const kernels::PackedA rows = left.of(x);
  for (std::size_t t = 0; t < taps.size(); ++t) {
    kernels::gemm({rows.from_row(t * dilation), taps[t].weight, taps[t].bias,
                   t == 0 ? Finish::replace : Finish::add},
                  y);
  }
}

}  // namespace wnpu::audio
