#include "audio/speakers/layers.h"

#include <utility>

#include "models/base/thread_pool.h"
#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/operands/u8_matrix.h"
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

namespace {

// f(x in the numbers of `weight`).
template <typename F>
void with_numbers(const kernels::PackedB& weight, models::ConstMatrixView x, const F& f) {
  if (weight.number() == DataType::u8) {
    kernels::U8Rows rows(x.rows, x.cols);
    rows.set(x);
    f(kernels::PackedA(rows));
  } else if (weight.number() == DataType::i16) {
    kernels::I16Rows rows(x.rows, x.cols);
    rows.set(x, weight.left_limit());
    f(kernels::PackedA(rows));
  } else {
    f(kernels::PackedA(x));
  }
}

}  // namespace

void apply(const kernels::Linear& layer, models::ConstMatrixView x, models::MatrixView y,
           Finish finish) {
  with_numbers(layer.weight, x, [&](const kernels::PackedA& a) {
    kernels::gemm({a, layer.weight, layer.bias, finish}, y);
  });
}

void apply_taps(std::span<const kernels::Linear> taps, std::size_t dilation,
                models::ConstMatrixView x, models::MatrixView y) {
  with_numbers(taps.front().weight, x, [&](const kernels::PackedA& a) {
    for (std::size_t t = 0; t < taps.size(); ++t) {
      kernels::gemm({a.from_row(t * dilation), taps[t].weight, taps[t].bias,
                     t == 0 ? Finish::replace : Finish::add},
                    y);
    }
  });
}

}  // namespace wnpu::audio
