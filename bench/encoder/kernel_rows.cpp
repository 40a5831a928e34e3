#include "bench/encoder/kernel_rows.h"

#include <array>
#include <functional>

#include "bench/encoder/encoder_times.h"
#include "bench/encoder/layer_parts.h"
#include "bench/input/model_sizes.h"
#include "bench/input/random_weights.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/blas.h"
#include "models/kernels/vectors/ops.h"
#include "models/weights/pack_weights.h"
#include "models/weights/precision.h"
#include "npu/design/layer_design.h"
#include "npu/plans/plan_model.h"
#include "npu/sim/compile_call.h"

namespace wnpu::bench {
namespace {

using npu::LayerOp;
using npu::Seed2025;

// The rows that November 2025 measured.
constexpr std::size_t kNormValues = 1024;
constexpr std::size_t kSoftmaxValues = 1500;
constexpr std::size_t kGeluValues = 512;
constexpr std::size_t kMatmulSize = 64;
constexpr std::size_t kHead = 64;

double product(std::size_t a, std::size_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

std::string text(std::size_t number) { return std::to_string(number); }

std::string shape_of(std::size_t rows, std::size_t cols) {
  return "[" + text(rows) + ", " + text(cols) + "]";
}

std::string product_shape(std::size_t m, std::size_t k, std::size_t n) {
  return shape_of(m, k) + " x " + shape_of(k, n);
}

KernelRow named(std::string name, std::string shape, double operations) {
  KernelRow row;
  row.name = std::move(name);
  row.shape = std::move(shape);
  row.operations = operations;
  return row;
}

void take(const Summary& runs, KernelRow& row) {
  row.seconds = runs.median;
  row.runs = runs;
}

// The kernels of a layer with their shapes, in order; both machines run these.
std::vector<KernelRow> layer_kernels(const models::Dims& dims) {
  const std::size_t n = dims.n_audio_ctx;
  const std::size_t d = dims.n_audio_state;
  const auto product = [&](const char* name, std::size_t k, std::size_t cols) {
    return named(name, product_shape(n, k, cols), matmul_operations(n, k, cols));
  };
  std::vector<KernelRow> rows = {
      named("LayerNorm", shape_of(n, d), norm_operations(n, d)),
      product("q, k, v", d, 3 * d),
      named("attention", text(dims.n_audio_head) + " heads, " + shape_of(n, d),
            attention_operations(n, n, d, dims.n_audio_head)),
      product("out projection", d, d),
      product("MLP up", d, 4 * d),
      named("GELU", shape_of(n, 4 * d), gelu_operations(n * 4 * d)),
      product("MLP down", 4 * d, d),
  };
  for (KernelRow& row : rows) row.is_layer_shape = true;
  return rows;
}

KernelRow whole_layer(const models::Dims& dims, const std::vector<KernelRow>& kernels) {
  KernelRow row = named("whole layer", shape_of(dims.n_audio_ctx, dims.n_audio_state), 0);
  row.is_layer_shape = true;
  for (const KernelRow& kernel : kernels) row.operations += kernel.operations;
  row.operations += kernels.front().operations;  // the second LayerNorm
  return row;
}

// Single kernels on one thread.
std::vector<KernelRow> single_kernels(const Peaks& peaks, const TimingEffort& effort) {
  models::ThreadPool alone(1);
  models::Matrix x = random_matrix(1, kNormValues, 1.0F);
  models::Matrix y(1, kNormValues);
  const kernels::LayerNorm norm{std::vector<float>(kNormValues, 1.0F),
                                std::vector<float>(kNormValues, 0.0F)};
  models::Matrix scores = random_matrix(1, kSoftmaxValues, 4.0F);
  models::Matrix hidden(1, kGeluValues);
  for (float& value : hidden.flat()) value = 8.0F;  // GELU leaves it so, again and again
  const models::Matrix a = random_matrix(kMatmulSize, kMatmulSize, 1.0F);
  const auto b = pack_weights(alone, a.view(), kernels::DataType::f32);
  models::Matrix c(kMatmulSize, kMatmulSize);

  std::vector<KernelRow> rows;
  const auto add = [&](KernelRow row, double published, const std::function<void()>& work) {
    take(time_calls(work, effort), row);
    row.threads = 1;
    row.peak_gflops = peaks.fma_gflops;
    row.published_ms = published;
    rows.push_back(std::move(row));
  };
  add(named("LayerNorm", text(kNormValues), norm_operations(1, kNormValues)),
      Seed2025::kLayerNormMs, [&] { kernels::layer_norm(alone, x.view(), norm, y.view()); });
  add(named("softmax", text(kSoftmaxValues), softmax_operations(kSoftmaxValues)),
      Seed2025::kSoftmaxMs, [&] { kernels::softmax(scores.flat()); });
  add(named("GELU", text(kGeluValues), gelu_operations(kGeluValues)), Seed2025::kGeluMs,
      [&] { kernels::gelu(alone, hidden.view()); });
  add(named("matmul", product_shape(kMatmulSize, kMatmulSize, kMatmulSize),
            matmul_operations(kMatmulSize, kMatmulSize, kMatmulSize)),
      Seed2025::kMatmul64Ms, [&] {
        kernels::gemm({a.view(), b, {}}, c.view());
      });
  return rows;
}

Summary time_whole_layer(const models::Dims& dims, models::Precision precision,
                         models::ThreadPool& pool, const TimingEffort& effort) {
  models::Dims one = dims;
  one.n_audio_layer = 1;
  const EncoderUnderTest layer{"", "random", one, random_encoder_weights(one, 1), precision};
  return time_layers(layer, dims.n_audio_ctx, pool, effort);
}

// Work of one design on the array under its control program, without what it takes to launch it.
void model(KernelRow& row, const npu::Design& design, const npu::HardwareModel& preset) {
  const npu::SimReport report = npu::time_call(design, preset).report;
  row.origin = Origin::kModelled;
  row.seconds = 1e-3 * report.ms;
  row.launch_s = 1e-6 * preset.launch_us;
  row.peak_gflops = array_peak_gflops(preset);
}

std::vector<KernelRow> single_array_kernels(const npu::HardwareModel& preset) {
  const npu::Target& target = *preset.target;
  std::vector<KernelRow> rows;
  const auto add = [&](KernelRow row, double published, const npu::Design& design) {
    model(row, design, preset);
    row.published_ms = published;
    rows.push_back(std::move(row));
  };
  add(named("LayerNorm", text(kNormValues), norm_operations(1, kNormValues)),
      Seed2025::kLayerNormMs,
      npu::row_design(target, npu::RowOp::layer_norm, {kNormValues, kSoftmaxValues}));
  add(named("attention row", "1 query, " + text(kSoftmaxValues) + " keys of " + text(kHead),
            attention_operations(1, kSoftmaxValues, kHead, 1)),
      Seed2025::kSoftmaxMs, npu::row_design(target, npu::RowOp::attend, {kHead, kSoftmaxValues}));
  add(named("GELU", text(kGeluValues), gelu_operations(kGeluValues)), Seed2025::kGeluMs,
      npu::row_design(target, npu::RowOp::gelu, {kGeluValues, kSoftmaxValues}));
  const auto m = kMatmulSize * static_cast<std::size_t>(target.core_rows);
  const auto n = kMatmulSize * static_cast<std::size_t>(target.columns);
  add(named("matmul, 64x64 a core", product_shape(m, kMatmulSize, n),
            matmul_operations(m, kMatmulSize, n)),
      Seed2025::kMatmul64Ms, npu::gemm_design(target, {m, kMatmulSize, n}));
  return rows;
}

// The calls that run layer_kernels() on the array; GELU is part of MLP up there.
constexpr std::array kLayerOps = {LayerOp::norm1, LayerOp::qkv, LayerOp::attend, LayerOp::out,
                                  LayerOp::up,    LayerOp::up,  LayerOp::down};

}  // namespace

MachinePeaks measure_machine_peaks(unsigned threads, const CalibrationSizes& sizes) {
  MachinePeaks peaks{measure_peaks(1, sizes), {}};
  peaks.all = threads == 1 ? peaks.one : measure_peaks(threads, sizes);
  return peaks;
}

namespace {

double layer_peak(models::Precision precision, const Peaks& peaks) {
  if (precision == models::Precision::fp32) return peaks.fma_gflops;
  return models::multiplies_bytes(precision) ? peaks.byte_gops : peaks.integer_gops;
}

// The parts of a layer, in fp32 and in order.
std::vector<KernelRow> layer_parts(const models::Dims& dims, models::ThreadPool& pool,
                                   const TimingEffort& effort) {
  LayerParts parts(dims, dims.n_audio_ctx, pool);
  const std::array<std::function<void()>, 7> work = {[&] { parts.layer_norm(); },
                                                     [&] {
                                                       for (int i = 0; i < 3; ++i) parts.query();
                                                     },
                                                     [&] { parts.attend(); },
                                                     [&] { parts.out(); },
                                                     [&] { parts.up(); },
                                                     [&] { parts.gelu(); },
                                                     [&] { parts.down(); }};
  std::vector<KernelRow> rows = layer_kernels(dims);
  for (std::size_t i = 0; i < rows.size(); ++i) take(time_calls(work.at(i), effort), rows[i]);
  return rows;
}

// Rows of kernels that multiply, and of a whole layer, measured once more with OpenBLAS.
void add_blas_rows(const models::Dims& dims, models::ThreadPool& pool, const TimingEffort& effort,
                   std::vector<KernelRow>& rows) {
  kernels::use_gemm(kernels::Gemm::blas);
  std::vector<KernelRow> parts = layer_parts(dims, pool, effort);
  parts.push_back(whole_layer(dims, parts));
  take(time_whole_layer(dims, models::Precision::fp32, pool, effort), parts.back());
  parts.back().name += ", fp32";
  for (KernelRow& row : parts) {
    if (row.name == "LayerNorm" || row.name == "GELU") continue;
    row.name += ", OpenBLAS";
    rows.push_back(std::move(row));
  }
  kernels::use_gemm(kernels::Gemm::own);
}

}  // namespace

// Two sums, mean, variance; subtract, scale, gamma, beta.
double norm_operations(std::size_t rows, std::size_t width) { return 8 * product(rows, width); }

// Maximum, subtract, exp, sum, scale.
double softmax_operations(std::size_t values) { return 5 * static_cast<double>(values); }

// x * 0.5 * (1 + erf(x / sqrt 2))
double gelu_operations(std::size_t values) { return 5 * static_cast<double>(values); }

double matmul_operations(std::size_t m, std::size_t k, std::size_t n) {
  return 2 * product(m, k) * static_cast<double>(n);
}

double attention_operations(std::size_t queries, std::size_t frames, std::size_t width,
                            std::size_t heads) {
  const double scores = product(queries, frames);
  return 2 * 2 * scores * static_cast<double>(width) + 5 * scores * static_cast<double>(heads);
}

std::vector<KernelRow> cpu_kernels(const models::Dims& dims, models::ThreadPool& pool,
                                   const MachinePeaks& peaks, const TimingEffort& effort) {
  std::vector<KernelRow> rows = single_kernels(peaks.one, effort);
  std::vector<KernelRow> kernels = layer_parts(dims, pool, effort);
  KernelRow layer = whole_layer(dims, kernels);
  for (const auto precision :
       {models::Precision::fp32, models::Precision::int16, models::Precision::int8}) {
    kernels.push_back(layer);
    kernels.back().name += ", " + std::string(models::precision_name(precision));
    kernels.back().peak_gflops = layer_peak(precision, peaks.all);
    take(time_whole_layer(dims, precision, pool, effort), kernels.back());
  }
  if (kernels::has_blas()) add_blas_rows(dims, pool, effort, kernels);
  for (KernelRow& row : kernels) {
    row.threads = static_cast<unsigned>(pool.n_threads());
    if (row.peak_gflops == 0) row.peak_gflops = peaks.all.fma_gflops;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<KernelRow> array_kernels(const models::Dims& dims, const npu::HardwareModel& preset) {
  std::vector<KernelRow> rows = single_array_kernels(preset);
  const npu::EncoderShape shape = encoder_shape(dims);
  const npu::LayerGeometry geometry = npu::layer_geometry(
      *preset.target, {dims.n_audio_ctx, shape.width, shape.heads, shape.hidden},
      npu::Precision::bf16);
  std::vector<KernelRow> kernels = layer_kernels(dims);
  KernelRow layer = whole_layer(dims, kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelRow row = std::move(kernels[i]);
    if (row.name == "GELU") continue;
    if (row.name == "MLP up") {
      row.name = "MLP up + GELU";
      row.operations += kernels.at(i + 1).operations;
    }
    model(row, npu::layer_design(geometry, {kLayerOps.at(i), kLayerOps.at(i)}), preset);
    rows.push_back(std::move(row));
  }
  layer.name = "whole layer, fused";
  model(layer, npu::layer_design(geometry), preset);
  rows.push_back(std::move(layer));
  return rows;
}

double array_peak_gflops(const npu::HardwareModel& preset) {
  // bf16 multiply-accumulates a core and cycle: AM020 ch. 4 (VMAC.F 4x8x4 = 128); AIE2P has the
  // same native rate, its block floating point apart (arXiv 2512.13282 table 1).
  constexpr double kBf16Macs = 128;
  const auto cores = static_cast<double>(preset.target->columns * preset.target->core_rows);
  return 2 * kBf16Macs * cores * preset.clock_ghz;
}

}  // namespace wnpu::bench
