#include "bench/encoder/kernel_rows.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "bench/input/model_sizes.h"
#include "models/kernels/vectors/blas.h"
#include "npu/design/layer_design.h"
#include "npu/sim/compile_call.h"

using namespace wnpu;         // NOLINT
using namespace wnpu::bench;  // NOLINT

namespace {

// A short window: what is tested is bookkeeping, not speed.
models::Dims short_tiny() {
  models::Dims dims = *dims_of_size("tiny");
  dims.n_audio_ctx = 96;
  return dims;
}

const KernelRow& layer_row(const std::vector<KernelRow>& rows, const std::string& name) {
  const auto row = std::ranges::find_if(
      rows, [&](const KernelRow& r) { return r.is_layer_shape && r.name == name; });
  REQUIRE(row != rows.end());
  return *row;
}

}  // namespace

TEST_CASE("kernel_rows: operations as counted by hand") {
  CHECK(matmul_operations(2, 3, 5) == 2 * 2 * 3 * 5);
  CHECK(norm_operations(2, 10) == 8 * 20);
  CHECK(softmax_operations(100) == 500);
  CHECK(gelu_operations(7) == 35);
  // 3 queries, 5 keys, 2 heads of width 4: two products of 3 x 5 x 8, softmax of 2 x 15 scores.
  CHECK(attention_operations(3, 5, 8, 2) == 2 * 2 * 3 * 5 * 8 + 5 * 30);
}

TEST_CASE("kernel_rows: the array's peak is 4.1 TFLOPS in bf16 at 1 GHz") {
  CHECK(array_peak_gflops(npu::find_preset("phoenix-1.0/published")) == doctest::Approx(4096));
}

TEST_CASE("kernel_rows: CPU kernels are measured, below the peak of their threads") {
  const CalibrationSizes sizes{.rounds = 3,
                               .copy_bytes = 1 << 20,
                               .read_bytes = 1 << 20,
                               .peak_rounds = 3,
                               .fma_rounds = 200'000};
  const MachinePeaks peaks = measure_machine_peaks(2, sizes);
  models::ThreadPool pool(2);
  const auto rows = cpu_kernels(short_tiny(), pool, peaks, {3, 1e-3});
  CHECK(rows.size() == 4U + 10U + (kernels::has_blas() ? 6U : 0U));
  for (const KernelRow& row : rows) {
    CAPTURE(row.name);
    CHECK(row.origin == Origin::kMeasured);
    CHECK(row.seconds > 0);
    REQUIRE(row.runs.has_value());
    CHECK(row.runs->median == row.seconds);
    CHECK(row.launch_s == 0);
    CHECK(row.threads == (row.is_layer_shape ? 2 : 1));
    CHECK(row.published_ms.has_value() == !row.is_layer_shape);
    // Three times: other work on the machine disturbs the peak's measurement too.
    CHECK(row.share_of_peak() < 3);
  }
  double parts = 0;
  for (const KernelRow& row : rows) {
    const bool is_part = row.is_layer_shape && !row.name.ends_with("OpenBLAS");
    if (is_part && !row.name.starts_with("whole layer")) parts += row.operations;
  }
  parts += layer_row(rows, "LayerNorm").operations;
  CHECK(layer_row(rows, "whole layer, int8").operations == doctest::Approx(parts));
}

TEST_CASE("kernel_rows: the array's kernels are modelled and stay below its peak and memory") {
  const npu::HardwareModel preset = npu::find_preset("phoenix-1.0/published");
  const models::Dims base = *dims_of_size("base");
  const auto rows = array_kernels(base, preset);
  CHECK(rows.size() == 4 + 7);
  for (const KernelRow& row : rows) {
    CAPTURE(row.name);
    CHECK(row.origin == Origin::kModelled);
    CHECK(row.launch_s == doctest::Approx(108e-6));
    CHECK(row.share_of_peak() > 0);
    CHECK(row.share_of_peak() < 1);
  }
  // As transcribe's calls and --plans have it: under its control program.
  const npu::LayerShape shape{1500, 512, 8, 2048};
  const npu::Design layer =
      npu::layer_design(npu::layer_geometry(*preset.target, shape, npu::Precision::bf16));
  const npu::SimReport report = npu::time_call(layer, preset).report;
  CHECK(1e3 * layer_row(rows, "whole layer, fused").seconds == doctest::Approx(report.ms));
  const auto bytes = static_cast<double>(report.ddr_read_bytes + report.ddr_write_bytes);
  CHECK(1e-6 * bytes / report.ms <= preset.ddr_read_gb_per_s + preset.ddr_write_gb_per_s);
  CHECK(layer_row(rows, "MLP up + GELU").operations > matmul_operations(1500, 512, 2048));
}
