#include "bench/gate/gate_work.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <span>

#include "bench/core/calibration_kernels.h"
#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/operands/i16_matrix.h"
#include "models/kernels/operands/u8_matrix.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/products/linear.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"
#include "models/weights/weights.h"

namespace wnpu::bench {
namespace {

using models::Matrix;

// Whisper tiny (openai/whisper model dimensions); a head is 64 wide in every size.
constexpr std::size_t kWidth = 384;
constexpr std::size_t kHidden = 1536;
constexpr std::size_t kHeadWidth = 64;
constexpr std::size_t kFrames = 1500;  // keys of the encoder's attention
// A row times so many columns: 480 KiB, which stay in a cache that no other core shares.
constexpr std::size_t kRowColumns = 320;
constexpr std::size_t kRowRepeats = 32;
constexpr float kSumLimit = 500000;  // of an int16 row of weights
constexpr std::size_t kCopyFloats = std::size_t{4} << 20;

// Values between -1 and 1 that no kernel can take a short way with.
void fill(std::span<float> values) {
  unsigned state = 1;
  std::ranges::generate(values, [&state] {
    state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator
    return static_cast<float>(state >> 8) / static_cast<float>(1U << 23) - 1;
  });
}

kernels::PackedB packed(models::ThreadPool& pool, std::size_t k, std::size_t n,
                        kernels::DataType number = kernels::DataType::f32) {
  Matrix values(n, k);
  fill(values.flat());
  return models::pack_weights(pool, values.view(), number);
}

// Numbers of int8's weights on this CPU.
kernels::DataType int8_numbers() {
  return kernels::has_byte_instructions() ? kernels::DataType::u8 : kernels::DataType::i8;
}

kernels::Linear int8_linear(models::ThreadPool& pool, std::size_t n) {
  kernels::Linear linear;
  linear.weight = packed(pool, kWidth, n, int8_numbers());
  return linear;
}

kernels::U8Matrix keys_of_bytes() {
  Matrix values(kFrames, kHeadWidth);
  fill(values.flat());
  kernels::U8Matrix keys(kHeadWidth, kFrames);
  keys.set_columns(0, values.view());
  return keys;
}

kernels::I16Matrix quantised(std::size_t k, std::size_t n) {
  Matrix values(n, k);
  fill(values.flat());
  kernels::I16Matrix matrix(k, n,
                            {kernels::DataType::i16, kernels::ScaleOf::column,
                             kernels::max_weight(kernels::DataType::i16)});
  matrix.set_columns(0, values.view());
  matrix.widen_left_limit();
  return matrix;
}

// All that the kernels read and write; every one of them holds on to it.
struct Operands {
  explicit Operands(std::size_t rows)
      : narrow(rows, kWidth),
        narrow_out(rows, kWidth),
        hidden(rows, kHidden),
        queries(rows, kHeadWidth),
        scores(rows, kFrames),
        token(1, kWidth),
        token_out(1, kRowColumns),
        integers(rows, kFrames),
        byte_queries(rows, kHeadWidth),
        byte_scores(rows, kFrames),
        byte_weights(rows, kernels::whole_softmax_groups(kFrames)) {
    byte_scores.reset(rows);
    norm.gamma.assign(kWidth, 1);
    norm.beta.assign(kWidth, 0.5F);
    for (Matrix* matrix : {&narrow, &queries, &scores, &token}) fill(matrix->flat());
  }

  models::ThreadPool pool{1};
  Matrix narrow;
  Matrix narrow_out;
  Matrix hidden;
  Matrix queries;
  Matrix scores;
  Matrix token;
  Matrix token_out;
  kernels::PackedB up = packed(pool, kWidth, kHidden);
  kernels::PackedB row = packed(pool, kWidth, kRowColumns);
  kernels::PackedB keys = packed(pool, kHeadWidth, kFrames);
  kernels::I16Rows integers;  // a left side, quantised
  kernels::I16Matrix up_int16 = quantised(kWidth, kHidden);
  kernels::I16Matrix row_int16 = quantised(kWidth, kRowColumns);
  kernels::I16Matrix keys_int16 = quantised(kHeadWidth, kFrames);
  kernels::Linear up_int8 = int8_linear(pool, kHidden);
  kernels::Linear row_int8 = int8_linear(pool, kRowColumns);
  kernels::Linear::Scratch scratch{int8_numbers(), narrow.rows(), kWidth};
  kernels::U8Matrix byte_keys = keys_of_bytes();
  kernels::U8Rows byte_queries;
  kernels::ScoreRows byte_scores;
  kernels::U8Rows byte_weights;
  std::vector<float> value_scales = std::vector<float>(kFrames, 1.0F);
  kernels::LayerNorm norm;
};

void multiply_rows(Operands& o) {
  for (std::size_t i = 0; i < kRowRepeats; ++i) {
    kernels::gemm(o.pool, {o.token.view(), o.row, {}}, o.token_out.view());
  }
}

// With the quantisation of x, as a layer has to do it.
void multiply_int16(Operands& o, models::ConstMatrixView x, const kernels::I16Matrix& w,
                    models::MatrixView y) {
  o.integers.set(x, w.left_limit());
  kernels::gemm({o.integers, w}, y);
}

void multiply_rows_int16(Operands& o) {
  for (std::size_t i = 0; i < kRowRepeats; ++i)
    multiply_int16(o, o.token.view(), o.row_int16, o.token_out.view());
}

void multiply_rows_int8(Operands& o) {
  for (std::size_t i = 0; i < kRowRepeats; ++i) {
    o.row_int8.apply(o.token.view(), kernels::Finish::replace, o.token_out.view(), o.scratch);
  }
}

// Softmax of scores in the encoder's integers (models/kernels/operands/i16_matrix.h).
void softmax_rows_int16(Operands& o) {
  std::vector<kernels::RunningSoftmax> softmax(o.scores.rows());
  for (std::size_t r = 0; r < softmax.size(); ++r)
    softmax[r].take_max(kernels::max(o.scores.row(r)));
  o.integers.set_softmax(o.scores.view(), softmax, o.value_scales, kSumLimit);
}

void softmax_rows(Operands& o) {
  for (std::size_t r = 0; r < o.scores.rows(); ++r) kernels::softmax(o.scores.row(r));
}

// int8, whose attention is in bytes where the CPU multiplies them.
void add_int8(const std::shared_ptr<Operands>& o, std::vector<GateWork>& works) {
  works.push_back({"kernel: int8 matmul 384 to 1536", 1, [o] {
                     o->up_int8.apply(o->narrow.view(), kernels::Finish::replace, o->hidden.view(),
                                      o->scratch);
                   }});
  works.push_back({"kernel: int8 matmul of one row", 1, [o] { multiply_rows_int8(*o); }});
  if (!kernels::has_byte_instructions()) return;
  const auto score = [o] {
    o->byte_queries.set(o->queries.view());
    kernels::score(o->byte_queries, o->byte_keys, o->byte_scores);
  };
  score();  // for a softmax that is timed alone
  works.push_back({"kernel: int8 attention scores", 1, score});
  works.push_back(
      {"kernel: int8 softmax", 1, [o] { o->byte_weights.set_softmax(o->byte_scores); }});
}

}  // namespace

std::vector<GateWork> gate_kernels(std::size_t rows) {
  const auto o = std::make_shared<Operands>(rows);
  std::vector<GateWork> works = {
      {"kernel: matmul 384 to 1536", 1,
       [o] {
         kernels::gemm(o->pool, {o->narrow.view(), o->up, {}}, o->hidden.view());
       }},
      {"kernel: matmul of one row", 1, [o] { multiply_rows(*o); }},
      {"kernel: attention scores", 1,
       [o] {
         kernels::gemm({o->queries.view(), o->keys, {}}, o->scores.view());
       }},
      {"kernel: softmax", 1, [o] { softmax_rows(*o); }},
      {"kernel: int16 matmul 384 to 1536", 1,
       [o] { multiply_int16(*o, o->narrow.view(), o->up_int16, o->hidden.view()); }},
      {"kernel: int16 matmul of one row", 1, [o] { multiply_rows_int16(*o); }},
      {"kernel: int16 attention scores", 1,
       [o] { multiply_int16(*o, o->queries.view(), o->keys_int16, o->scores.view()); }},
      {"kernel: int16 softmax", 1, [o] { softmax_rows_int16(*o); }},
      {"kernel: layer norm", 1,
       [o] { kernels::layer_norm(o->pool, o->narrow.view(), o->norm, o->narrow_out.view()); }},
      // In place: again and again it would come to denormal numbers.
      {"kernel: gelu", 1, [o] { kernels::gelu(o->pool, o->hidden.view()); },
       [o] { fill(o->hidden.flat()); }},
  };
  add_int8(o, works);
  return works;
}

std::vector<GateWork> gate_calibration() {
  struct Buffers {
    std::vector<float> a = std::vector<float>(yardstick::kGemmSize * yardstick::kGemmSize, 0.25F);
    std::vector<float> b = a;
    std::vector<float> c = a;
    std::vector<float> from = std::vector<float>(kCopyFloats, 0.25F);
    std::vector<float> to = from;
  };
  const auto buffers = std::make_shared<Buffers>();
  return {
      {"calibration: gemm", 1, [buffers] { yardstick::gemm(buffers->a, buffers->b, buffers->c); }},
      {"calibration: copy", 0,
       [buffers] { std::ranges::copy(buffers->from, buffers->to.begin()); }}};
}

double cpu_clock_s() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace wnpu::bench
