#include "bench/encoder/plan_rows.h"

#include "bench/encoder/layer_parts.h"
#include "bench/input/model_sizes.h"

namespace wnpu::bench {
namespace {

// Measured on Phoenix (XDNA1), Whisper base, November 2025, by the project that this one replaces.
struct Published {
  std::size_t frames;
  double per_op_ms;
  double numpy_ms;
};
constexpr Published kPublished[] = {
    {10, 1353, 25}, {100, 13677, 134}, {500, 68786, 695}, {1500, 77843, 2309}};
// 1500 frames take three times the calls of 500 and were published with 1.13 times the time.
constexpr std::size_t kInconsistentFrames = 1500;

PlanRow row_of(const npu::PlanCost& cost) {
  PlanRow row;
  row.plan = npu::plan_name(cost.plan);
  row.where = cost.preset;
  row.precision = npu::precision_name(cost.precision);
  row.frames = cost.frames;
  row.origin = Origin::kModelled;
  row.launches = cost.launches;
  row.ms = cost.modelled_ms();
  return row;
}

}  // namespace

std::string PlanRow::kind() const {
  return name_of(origin) + (origin == Origin::kModelled && cpu_ms > 0 ? " + measured" : "");
}

LeftToCpu time_left_to_cpu(const models::Dims& dims, std::size_t frames, models::ThreadPool& pool,
                           const TimingEffort& effort) {
  LayerParts parts(dims, frames, pool);
  const auto layers_ms = [&](const std::function<void()>& layer) {
    return 1e3 * time_calls(layer, effort).median * static_cast<double>(dims.n_audio_layer);
  };
  LeftToCpu left;
  left.hybrid_ms = layers_ms([&] {
    parts.layer_norm();
    parts.attend();
    parts.layer_norm();
    parts.gelu();
  });
  left.per_op_ms = layers_ms([&] {
    for (int i = 0; i < 3; ++i) parts.query();
    parts.out();
    parts.up();
    parts.down();
  });
  return left;
}

std::vector<PlanRow> modelled_rows(const models::Dims& dims, std::size_t frames,
                                   const npu::HardwareModel& preset, const LeftToCpu& left) {
  const std::size_t lengths[] = {frames};
  std::vector<PlanRow> rows;
  for (const npu::PlanCost& cost : npu::model_plans(encoder_shape(dims), lengths, preset)) {
    PlanRow row = row_of(cost);
    if (cost.plan == npu::Plan::hybrid) row.cpu_ms = left.hybrid_ms;
    if (cost.plan == npu::Plan::per_op) row.cpu_ms = left.per_op_ms;
    row.ms += row.cpu_ms;
    rows.push_back(std::move(row));
  }
  return rows;
}

PlanRow fused_row(const models::Dims& dims, std::size_t frames, const npu::HardwareModel& preset,
                  npu::Precision precision) {
  return row_of(npu::model_plan(encoder_shape(dims), frames, npu::Plan::fused, preset, precision));
}

PlanRow tuned_row(const models::Dims& dims, const npu::PlanFile& file,
                  const npu::HardwareModel& preset) {
  PlanRow row = row_of(npu::model_tuned(encoder_shape(dims), file, preset));
  row.plan = npu::kTunedPlanName;
  return row;
}

PlanRow cpu_row(const EncoderUnderTest& model, std::size_t frames, models::ThreadPool& pool,
                const TimingEffort& effort) {
  PlanRow row;
  row.plan = "CPU";
  row.where = "this machine, " + std::to_string(pool.n_threads()) + " threads";
  row.precision = models::precision_name(model.precision);
  row.frames = frames;
  row.runs = time_layers(model, frames, pool, effort);
  row.ms = 1e3 * row.runs->median;
  row.cpu_ms = row.ms;
  return row;
}

std::vector<PlanRow> published_rows() {
  std::vector<PlanRow> rows;
  for (const Published& published : kPublished) {
    PlanRow row;
    row.plan = "per-op";
    row.where = "Phoenix, November 2025";
    row.frames = published.frames;
    row.origin = Origin::kPublished;
    row.ms = published.per_op_ms;
    rows.push_back(row);
    row.plan = "CPU";
    row.where = "NumPy, November 2025";
    row.ms = published.numpy_ms;
    rows.push_back(row);
  }
  return rows;
}

std::vector<Prediction> predictions_of_2025() {
  const npu::EncoderShape base = encoder_shape(*dims_of_size("base"));
  std::vector<Prediction> predictions;
  for (const Published& published : kPublished) {
    predictions.push_back({published.frames,
                           npu::model_seed_2025(base, published.frames).modelled_ms(),
                           published.per_op_ms, published.frames != kInconsistentFrames});
  }
  return predictions;
}

PlanRow seed_row(std::size_t frames) {
  return row_of(npu::model_seed_2025(encoder_shape(*dims_of_size("base")), frames));
}

}  // namespace wnpu::bench
