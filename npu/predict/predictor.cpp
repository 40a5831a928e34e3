#include "npu/predict/predictor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "npu/predict/fitted.h"

namespace wnpu::npu {
namespace {

double analytical(const Design& /*design*/, const CallParts& parts) { return parts.bound(); }

// Between the points by the logarithm of the cycles, beyond them as at the last.
double stall_factor(PhaseKind kind, double busy) {
  const std::span<const StallPoint> points = stall_points(kind);
  const auto above = std::ranges::lower_bound(points, busy, {}, &StallPoint::busy);
  if (above == points.begin()) return points.front().factor;
  if (above == points.end()) return points.back().factor;
  const StallPoint& below = *std::prev(above);
  const double share = std::log(busy / below.busy) / std::log(above->busy / below.busy);
  return below.factor + share * (above->factor - below.factor);
}

double look_up(const Design& design, const CallParts& parts) {
  double cycles = parts.start;
  for (std::size_t i = 0; i < design.phases.size(); ++i) {
    const double busy = parts.phase_busy[i];
    cycles += busy * stall_factor(kind_of(design.phases[i]), busy);
  }
  return cycles;
}

double learned(const Design& /*design*/, const CallParts& parts) {
  const Features features = features_of(parts);
  double cycles = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) cycles += features[i] * learned_weights()[i];
  return std::max(cycles, features.front());  // never below the bound
}

constexpr std::array kPredictors{
    Predictor{"analytical", "roofline of cores, streams, DDR and controller: a bound from below",
              analytical},
    Predictor{"look-up", "the kernel table's cycles of each phase, times the stalls of such phases",
              look_up},
    Predictor{"learned",
              "a ridge regression on the parts of the roofline, fitted to simulated calls",
              learned}};

}  // namespace

std::span<const Predictor> predictors() { return kPredictors; }

double predicted_ms(const Predictor& predictor, std::span<const Design> calls,
                    const TimePreset& preset) {
  double ms = 0;
  for (const Design& call : calls) {
    ms += predictor.call_cycles(call, call_parts(call, preset)) / (preset.clock_ghz * 1e6) +
          preset.list_launch_us * 1e-3;
  }
  return ms;
}

PhaseKind kind_of(const Phase& phase) {
  switch (phase.kernel) {
    case Kernel::layer_norm:
    case Kernel::gelu:
      return PhaseKind::rows;
    case Kernel::attention:
      return PhaseKind::attention;
    case Kernel::gemm_bf16:
    case Kernel::gemm_int8:
      break;
  }
  return phase.epilogue == Epilogue::bias_residual ? PhaseKind::residual : PhaseKind::product;
}

Features features_of(const CallParts& p) {
  const double bound = p.bound();
  return {bound,
          p.cores,
          p.busy,
          p.streams,
          p.ddr_read,
          p.ddr_write,
          p.controller,
          p.controller * p.controller / bound,
          p.ddr_read * p.ddr_read / bound,
          1000 * p.n_barriers,
          1000};
}

}  // namespace wnpu::npu
