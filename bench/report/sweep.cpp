#include "bench/report/sweep.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <set>

#include "app/cli/exit_code.h"
#include "audio/mel/log_mel.h"
#include "bench/core/text_table.h"
#include "bench/encoder/decoder_times.h"
#include "bench/encoder/encoder_times.h"
#include "bench/encoder/plan_rows.h"
#include "bench/input/model_sizes.h"
#include "bench/input/random_weights.h"

namespace wnpu::bench {
namespace {

// Layers that are measured of each model; the others cost the same.
constexpr std::size_t kLayers = 2;
constexpr std::array kPrecisions = {models::Precision::fp32, models::Precision::int16,
                                    models::Precision::int8};
// Two samples and a warm-up: a sweep is for how cost grows, --plans and --rtf are for figures.
constexpr TimingEffort kEffort{3, 0};
// Work calls of a measurement (timing.cpp: warm-up, trial, samples).
constexpr double kCalls = 2 + 3;
// What the first estimate takes for granted until something was measured: a slow core.
constexpr double kGflopsAThread = 10;

// Wall clock that is left, and how fast this machine has been so far.
class Budget {
 public:
  explicit Budget(double seconds) : end_(Clock::now() + std::chrono::duration<double>(seconds)) {}

  double left_s() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }
  double estimate_s(double operations, std::size_t threads) const {
    return operations / (1e9 * gflops_a_thread_ * static_cast<double>(threads));
  }
  void learn(double operations, double seconds, std::size_t threads) {
    gflops_a_thread_ = 1e-9 * operations / seconds / static_cast<double>(threads);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::time_point<Clock, std::chrono::duration<double>> end_;
  double gflops_a_thread_ = kGflopsAThread;
};

double decoder_layer_operations(const models::Dims& dims) {
  const auto width = static_cast<double>(dims.n_text_state);
  // Self-attention 4, cross-attention 2, mlp 8 weights of width^2; scores and sum over the window.
  return 2 * (14 * width * width + 2 * static_cast<double>(dims.n_audio_ctx) * width);
}

class SweepRun {
 public:
  SweepRun(SweepOptions options, const std::function<void(const std::string&)>& progress)
      : options_(std::move(options)), progress_(progress), budget_(options_.budget_s) {
    if (options_.sizes.empty()) {
      options_.sizes.assign(size_names().begin(), size_names().end());
    }
    if (options_.threads.empty()) {
      const std::set<std::size_t> counts = {1, options_.usable_threads};
      options_.threads.assign(counts.begin(), counts.end());
    }
  }

  Sweep run() {
    for (const std::string& size : options_.sizes) {
      if (!dims_of_size(size)) throw app::UsageError("--sizes: no model size is called " + size);
      model_array(size);
    }
    measure_lengths(options_.sizes.front());
    for (const std::string& size : options_.sizes) {
      for (const auto precision : kPrecisions) measure_encoder(size, precision);
    }
    for (const std::string& size : options_.sizes) {
      for (const auto precision : kPrecisions) measure_decoder(size, precision);
    }
    return std::move(sweep_);
  }

 private:
  // Whether a piece of work fits; notes it where it does not.
  bool fits(const std::string& part, const std::string& setting, double estimate_s) {
    if (estimate_s > budget_.left_s()) {
      sweep_.skipped.push_back({part, setting, estimate_s});
      return false;
    }
    progress_(part + ", " + setting);
    return true;
  }

  static std::string setting_of(models::Precision precision, std::size_t threads) {
    return std::string(models::precision_name(precision)) + ", " + std::to_string(threads) +
           (threads == 1 ? " thread" : " threads");
  }

  void model_array(const std::string& size) {
    for (const npu::Precision precision : {npu::Precision::bf16, npu::Precision::int8}) {
      const PlanRow plan =
          fused_row(*dims_of_size(size), 1500, npu::find_preset(options_.preset), precision);
      SweepRow row;
      row.model = size;
      row.weights = "none";
      row.work = "encoder layers, a window";
      row.where = plan.where;
      row.precision = plan.precision;
      row.origin = Origin::kModelled;
      row.seconds = 1e-3 * plan.ms;
      sweep_.rows.push_back(row);
    }
  }

  void measure_encoder(const std::string& size, models::Precision precision) {
    const models::Dims dims = *dims_of_size(size);
    const double operations = layer_operations(dims, dims.n_audio_ctx) *
                              static_cast<double>(std::min(kLayers, dims.n_audio_layer));
    for (const std::size_t threads : options_.threads) {
      const double estimate_s = budget_.estimate_s(kCalls * operations, threads);
      if (!fits(size + " encoder", setting_of(precision, threads), estimate_s)) continue;
      EncoderUnderTest& model = encoder(size);
      model.precision = precision;
      models::ThreadPool pool(threads);
      SweepRow row = cpu_row(model, "encoder layers, a window", threads);
      row.seconds = time_layers(model, dims.n_audio_ctx, pool, kEffort).median;
      budget_.learn(
          layer_operations(dims, dims.n_audio_ctx) * static_cast<double>(model.dims.n_audio_layer),
          row.seconds, threads);
      sweep_.rows.push_back(row);
    }
  }

  void measure_decoder(const std::string& size, models::Precision precision) {
    const models::Dims dims = *dims_of_size(size);
    const std::size_t held = std::min(kLayers, dims.n_text_layer);
    const double work =
        decoder_layer_operations(dims) * static_cast<double>(held) +
        2 * 2 * static_cast<double>(dims.n_vocab) * static_cast<double>(dims.n_text_state);
    for (const std::size_t threads : options_.threads) {
      for (const std::size_t batch : options_.batches) {
        const std::string setting =
            setting_of(precision, threads) + ", batch " + std::to_string(batch);
        // Steps are bound by memory: far slower an operation than the encoder's products. Windows
        // are projected to keys and values before.
        constexpr double kSlowdown = 8;
        const double window = 4 * static_cast<double>(held * dims.n_audio_ctx) *
                              static_cast<double>(dims.n_text_state * dims.n_text_state);
        const double operations = static_cast<double>(batch) * (kSlowdown * kCalls * work + window);
        if (!fits(size + " decoder", setting, budget_.estimate_s(operations, threads))) continue;
        add_decoder_row(size, dims, {threads, batch, precision});
      }
    }
  }

  struct Setting {
    std::size_t threads;
    std::size_t batch;
    models::Precision precision;
  };
  void add_decoder_row(const std::string& size, const models::Dims& dims, const Setting& setting) {
    if (decoder_name_ != size) {
      decoder_ = {};  // before the next one is made
      decoder_ = random_decoder_weights(dims, std::min(kLayers, dims.n_text_layer));
      decoder_name_ = size;
    }
    models::ThreadPool pool(setting.threads);
    SweepRow row;
    row.model = size;
    row.weights = "random";
    row.work = "decoder, a token of each sequence";
    row.where = "CPU";
    row.precision = models::precision_name(setting.precision);
    row.threads = setting.threads;
    row.batch = setting.batch;
    row.seconds =
        time_decoder_step({dims, decoder_, setting.precision}, setting.batch, pool, kEffort)
            .seconds(dims.n_text_layer);
    if (decoder_.layers.size() < dims.n_text_layer) {
      row.note = std::to_string(decoder_.layers.size()) + " of " +
                 std::to_string(dims.n_text_layer) + " layers measured, scaled";
    }
    sweep_.rows.push_back(row);
  }

  // Log-mel and encoder of whole files: windows are whole, whatever the audio fills of them.
  void measure_lengths(const std::string& size) {
    const models::Dims dims = *dims_of_size(size);
    const std::size_t threads = options_.threads.back();
    models::ThreadPool pool(threads);
    for (const double audio_s : options_.audio_s) {
      const double windows = std::ceil(audio_s / 30);
      const double operations =
          layer_operations(dims, dims.n_audio_ctx) * static_cast<double>(dims.n_audio_layer);
      if (!fits(size + " by length", fixed(audio_s, 0) + " s of audio",
                budget_.estimate_s(kCalls * operations, threads))) {
        continue;
      }
      EncoderUnderTest& model = encoder(size);
      model.precision = models::auto_precision();
      SweepRow row = cpu_row(model, "log-mel", 1);
      row.audio_s = audio_s;
      row.seconds = time_log_mel(dims.n_mels, audio_s);
      row.note.clear();
      sweep_.rows.push_back(row);
      row = cpu_row(model, "encoder layers, all windows", threads);
      row.audio_s = audio_s;
      const double window_s = time_layers(model, dims.n_audio_ctx, pool, kEffort).median;
      row.seconds = windows * window_s;
      row.note = "one window measured, times " + fixed(windows, 0) +
                 (row.note.empty() ? "" : "; " + row.note);
      budget_.learn(operations, window_s, threads);
      sweep_.rows.push_back(row);
    }
  }

  static double time_log_mel(std::size_t n_mels, double audio_s) {
    const models::Matrix second = random_matrix(1, 16000, 0.1F);
    const auto n_seconds = static_cast<std::size_t>(std::ceil(audio_s));
    models::Matrix group;
    const auto transform = [&] {
      audio::LogMelStream stream(n_mels);
      group = models::Matrix(n_mels, audio::kGroupFrames);
      for (std::size_t second_at = 0; second_at < n_seconds; ++second_at) {
        stream.push(second.flat());
        while (stream.has_group()) stream.pop_group(group.view());
      }
      stream.finish();
      while (stream.has_group()) stream.pop_group(group.view());
    };
    return time_calls(transform, kEffort).median;
  }

  static SweepRow cpu_row(const EncoderUnderTest& model, const std::string& work,
                          std::size_t threads) {
    SweepRow row;
    row.model = model.name;
    row.weights = model.weights;
    row.work = work;
    row.where = "CPU";
    row.precision = models::precision_name(model.precision);
    row.threads = threads;
    row.note = model.scaling();
    return row;
  }

  EncoderUnderTest& encoder(const std::string& size) {
    if (encoder_.name != size) {
      encoder_ = {};  // before the next one is made
      encoder_ = encoder_of_size(size, kLayers);
    }
    return encoder_;
  }

  SweepOptions options_;
  const std::function<void(const std::string&)>& progress_;
  Budget budget_;
  EncoderUnderTest encoder_;  // the last one
  std::string decoder_name_;
  models::DecoderWeights decoder_;
  Sweep sweep_;
};

}  // namespace

Sweep run_sweep(const SweepOptions& options,
                const std::function<void(const std::string&)>& progress) {
  return SweepRun(options, progress).run();
}

}  // namespace wnpu::bench
