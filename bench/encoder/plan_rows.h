// Every way to run an encoder's layers, over windows of different lengths: launches and time, and
// beside them what was published. Nothing here is without the word where it is from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/core/figure.h"
#include "bench/encoder/encoder_times.h"
#include "npu/plans/plan_model.h"

namespace wnpu::bench {

// Positions of a window, 20 ms of audio each: those of the published table.
inline constexpr std::size_t kPlanFrames[] = {10, 100, 500, 1500};

// One way, at one number of frames. All times are of the layers of one window, ms.
struct PlanRow {
  std::string plan;       // "fused", "per-op", "layers on the CPU"
  std::string where;      // preset "phoenix-1.0/published", "this CPU", "Phoenix, November 2025"
  std::string precision;  // "bf16"; empty: not known
  std::size_t frames = 0;
  Origin origin = Origin::kMeasured;  // of the time; modelled wherever any part of it is
  std::optional<std::size_t> launches;
  double ms = 0;      // all of it
  double cpu_ms = 0;  // of which was measured on this CPU, since the plan leaves it there
  std::optional<Summary> runs;

  // "measured", "modelled", "modelled + measured", "published"
  std::string kind() const;
  double audio_s() const { return 0.02 * static_cast<double>(frames); }
  double speed() const { return audio_s() / (1e-3 * ms); }
};

// Time that plans leave to the CPU in all layers of a window, measured here, ms.
struct LeftToCpu {
  double hybrid_ms = 0;  // LayerNorm, attention, GELU
  double per_op_ms = 0;  // the products
};
LeftToCpu time_left_to_cpu(const models::Dims& dims, std::size_t frames, models::ThreadPool& pool,
                           const TimingEffort& effort = {});

// All four plans under one preset.
std::vector<PlanRow> modelled_rows(const models::Dims& dims, std::size_t frames,
                                   const npu::HardwareModel& preset, const LeftToCpu& left);
PlanRow fused_row(const models::Dims& dims, std::size_t frames, const npu::HardwareModel& preset,
                  npu::Precision precision);
// By a plan's file, at its number of frames. Throws std::invalid_argument where it is for another
// layer.
PlanRow tuned_row(const models::Dims& dims, const npu::PlanFile& file,
                  const npu::HardwareModel& preset);
PlanRow cpu_row(const EncoderUnderTest& model, std::size_t frames, models::ThreadPool& pool,
                const TimingEffort& effort = {});

// Whisper base on an AMD Phoenix, November 2025: calls row by row, and vectorised NumPy.
std::vector<PlanRow> published_rows();

// A prediction beside what was published of the same work.
struct Prediction {
  std::size_t frames = 0;
  double predicted_ms = 0;
  double published_ms = 0;
  // The published row does not follow from the calls that were counted: not fitted.
  bool is_consistent = true;

  double error() const { return predicted_ms / published_ms - 1; }
};
// The row-by-row encoder of November 2025 by its calls and the time of one.
std::vector<Prediction> predictions_of_2025();

// Its model's row in the tables, for base.
PlanRow seed_row(std::size_t frames);

}  // namespace wnpu::bench
