#include "bench/input/window.h"

#include <memory>
#include <span>
#include <utility>

#include "app/engine/loaded_model.h"
#include "audio/mel/mel_source.h"
#include "audio/read/pcm_reader.h"
#include "bench/input/model_sizes.h"
#include "decoder/search/scheduler.h"
#include "encoder/stem.h"
#include "models/base/stage_timer.h"
#include "models/kernels/vectors/ops.h"
#include "npu/design/layer_design.h"
#include "npu/plans/plan_model.h"
#include "npu/sim/compile_call.h"

namespace wnpu::bench {
namespace {

struct Stage {
  std::string name;
  double seconds = 0;
};

// A model on the CPU, its stages in the order in which transcribe runs them.
class CpuWindow {
 public:
  explicit CpuWindow(const WindowOptions& options)
      : options_(options),
        model_(options.model, options.cpu_precision, options.threads),
        pool_(options.threads),
        stem_(model_.stem_and_norm(), pool_.n_threads()),
        backend_(model_.cpu_layers().make_backend(pool_)),
        decoder_(model_.decoder(), pool_),
        cache_(dims()),
        states_{models::Matrix(dims().n_audio_ctx, dims().n_audio_state)} {}

  const models::Dims& dims() const { return model_.dims(); }
  const std::string& text() const { return text_; }

  // Up to the layers.
  std::vector<Stage> before() {
    std::vector<Stage> stages;
    models::LogMel mel;
    const audio::MelTimings reading = read(mel);
    stages.push_back({"read audio", reading.decode_s});
    stages.push_back({"log-mel", reading.mel_s});
    stages.push_back(timed("convolutions", [&] { stem_.run(pool_, mel, states_.values.view()); }));
    return stages;
  }

  std::vector<Stage> layers() {
    std::vector<Stage> stages;
    backend_->load(states_.values.view());
    for (std::size_t i = 0; i < backend_->n_layers(); ++i) {
      stages.push_back(timed("layer " + std::to_string(i), [&] { backend_->run_layer(i); }));
    }
    backend_->store(states_.values.view());
    return stages;
  }

  std::vector<Stage> after() {
    const models::MatrixView states = states_.values.view();
    std::vector<Stage> stages;
    stages.push_back(timed("LayerNorm", [&] {
      kernels::layer_norm(pool_, states, model_.stem_and_norm().ln_post, states);
    }));
    stages.push_back(
        timed("cross keys and values", [&] { decoder_.cross_kv(states_, cross_kv_); }));
    stages.push_back(timed("decoder", [&] { decode(); }));
    stages.back().name += ", " + std::to_string(n_tokens_) + " tokens";
    return stages;
  }

 private:
  template <typename Work>
  static Stage timed(std::string name, const Work& work) {
    const auto start = models::Clock::now();
    work();
    return {std::move(name), models::seconds_since(start)};
  }

  // The first 30 s; what it took to read and transform them.
  audio::MelTimings read(models::LogMel& mel) const {
    std::size_t samples = 0;
    audio::MelOptions options;
    options.on_pcm = [&samples](std::span<const float> pcm) { samples += pcm.size(); };
    options.should_stop = [&samples] { return samples >= std::size_t{30} * audio::kSampleRate; };
    audio::MelSource source({options_.audio, {}}, dims().n_mels, options);
    source.window(0, mel);
    return source.timings();
  }

  void decode() {
    const decoder::Decoded decoded =
        decoder::decode(decoder_, cache_, model_.vocabulary(), options_.decode, cross_kv_);
    text_ = decoded.text;
    n_tokens_ = decoded.tokens.size();
  }

  WindowOptions options_;
  app::LoadedModel model_;
  models::ThreadPool pool_;
  encoder::Stem stem_;
  std::unique_ptr<encoder::LayerBackend> backend_;
  decoder::Decoder decoder_;
  decoder::KvCache cache_;
  decoder::CrossKv cross_kv_;
  models::EncoderStates states_;
  std::string text_;
  std::size_t n_tokens_ = 0;
};

// Appends measured stages one after the other; returns when the last one ends.
double append_stages(const char* lane, const std::vector<Stage>& stages, double start,
                     std::vector<TimelineSpan>& spans) {
  for (const Stage& stage : stages) {
    spans.push_back({lane, stage.name, start, start + stage.seconds, Origin::kMeasured});
    start += stage.seconds;
  }
  return start;
}

// The array's share of a window: `n_layers` calls of one simulated layer in one list.
class ArrayWindow {
 public:
  ArrayWindow(const models::Dims& dims, const WindowOptions& options)
      : preset_(npu::find_preset(options.preset)),
        design_(npu::layer_design(npu::layer_geometry(
            *preset_.target,
            {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state},
            options.precision))),
        call_(npu::encoded_call(design_, npu::compile_call(design_, preset_).program.program)),
        report_(traced()),
        n_layers_(dims.n_audio_layer) {}

  // From `start`; returns the end.
  double place(double start, Window& window) const {
    const double launch_s = 1e-6 * preset_.list_launch_us;
    for (std::size_t layer = 0; layer < n_layers_; ++layer) {
      const std::string name = "layer " + std::to_string(layer);
      const double work = start + launch_s;
      const double end = work + seconds(report_.cycles);
      window.stages.push_back({kLayersLane, "launch", start, work, Origin::kModelled});
      window.stages.push_back({kLayersLane, name, work, end, Origin::kModelled});
      place_phases(work, window.stages);
      place_tiles(work, window.tiles);
      start = end;
    }
    return start;
  }

 private:
  npu::SimReport traced() const { return npu::simulate(call_, {&preset_, true}, {}); }
  double seconds(double cycles) const { return 1e-9 * cycles / preset_.clock_ghz; }

  void place_phases(double start, std::vector<TimelineSpan>& spans) const {
    for (std::size_t i = 0; i < report_.phase_start.size(); ++i) {
      const bool is_last = i + 1 == report_.phase_start.size();
      const double end = is_last ? report_.cycles : report_.phase_start[i + 1];
      spans.push_back({kPhasesLane, design_.phases.at(i).name,
                       start + seconds(report_.phase_start[i]), start + seconds(end),
                       Origin::kModelled});
    }
  }

  void place_tiles(double start, std::vector<TimelineSpan>& spans) const {
    for (const npu::Span& span : npu::merged_spans(report_)) {
      spans.push_back({report_.tracks.at(span.track), std::string(span.name),
                       start + seconds(span.start), start + seconds(span.end), Origin::kModelled});
    }
  }

  npu::HardwareModel preset_;
  npu::Design design_;
  npu::EncodedCall call_;
  npu::SimReport report_;
  std::size_t n_layers_;
};

}  // namespace

Window measure_window(const WindowOptions& options) {
  CpuWindow cpu(options);
  const ArrayWindow array(cpu.dims(), options);
  std::vector<Stage> before;
  std::vector<Stage> layers;
  std::vector<Stage> after;
  for (int pass = 0; pass < 2; ++pass) {
    before = cpu.before();
    layers = cpu.layers();
    after = cpu.after();
  }
  Window window;
  window.preset = options.preset;
  window.text = cpu.text();
  const double stem_end = append_stages(kCpuLane, before, 0, window.stages);
  const double layers_end = array.place(stem_end, window);
  append_stages(kCpuLane, after, layers_end, window.stages);
  append_stages(kCpuLayersLane, layers, stem_end, window.stages);
  return window;
}

}  // namespace wnpu::bench
