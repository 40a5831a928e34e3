#include "npu/predict/published.h"

#include "npu/design/layer_design.h"
#include "npu/sim/compile_call.h"

namespace wnpu::npu {
namespace {

constexpr std::string_view kGemmSource = "arXiv 2512.13282 table 2, Phoenix";
constexpr std::string_view kWhisperSource = "drakosha/whisper-xdna, Hawk Point";

double ms_of(double cycles, const TimePreset& preset) { return cycles / (preset.clock_ghz * 1e6); }

// Tiles of these products are larger than our cores' buffers: no control program gives them.
PublishedFigure product(std::string_view name, const GemmProblem& problem, const TimePreset& preset,
                        double tera_operations) {
  const double operations = 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.k) *
                            static_cast<double>(problem.n);
  PublishedFigure figure{name, kGemmSource, operations / (tera_operations * 1e9), 0, {}};
  const Design design = gemm_design(npu1(), problem);
  SimOptions options;
  options.preset = &preset;
  figure.simulated_ms = simulate(design, options).ms;
  const CallParts parts = array_parts(design, preset);
  for (const Predictor& predictor : predictors()) {
    figure.predicted_ms.push_back(ms_of(predictor.call_cycles(design, parts), preset));
  }
  return figure;
}

PublishedFigure layer(std::string_view name, const LayerShape& shape, double published_ms) {
  const TimePreset preset = find_preset("hawk-1.6/open-source");
  PublishedFigure figure{name, kWhisperSource, published_ms, 0, {}};
  const std::vector<Design> calls{layer_design(layer_geometry(npu1(), shape, Precision::bf16))};
  figure.simulated_ms = time_call(calls.front(), preset).report.ms + preset.list_launch_us * 1e-3;
  for (const Predictor& predictor : predictors()) {
    figure.predicted_ms.push_back(predicted_ms(predictor, calls, preset));
  }
  return figure;
}

}  // namespace

// As tests/npu/time_model_test.cpp has them for the simulator.
std::vector<PublishedFigure> published_figures() {
  const TimePreset gemm = find_preset("phoenix-1.0/gemm");
  TimePreset int8 = gemm;
  int8.kernels.int8_mac_per_cycle.value = 212.5;  // of that kernel, whose results are int8 ...
  int8.kernels.dequantise_cycles.value = 0;       // ... and stay integers
  return {
      product("bf16 product 4224x4032x4224", {4224, 4032, 4224, 96, 56, 96, false}, gemm, 3.12),
      product("int8 product 4032x4032x4032", {4032, 4032, 4032, 112, 112, 112, true}, int8, 6.52),
      layer("layer of base, scaled by FLOPs", {1500, 512, 8, 2048}, 20.8),
      layer("layer of large-v3", {1500, 1280, 20, 5120}, 104.5)};
}

}  // namespace wnpu::npu
