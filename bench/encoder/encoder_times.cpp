#include "bench/encoder/encoder_times.h"

#include <algorithm>
#include <filesystem>

#include "app/engine/devices/device_choice.h"
#include "app/engine/model_path.h"
#include "app/options/exit_code.h"
#include "bench/core/bench_options.h"
#include "bench/input/model_sizes.h"
#include "bench/input/random_weights.h"
#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/stem.h"
#include "models/base/stages.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::bench {
namespace {

std::string known_sizes() {
  std::string names;
  for (const auto name : size_names()) names += " " + std::string(name);
  return names;
}

}  // namespace

std::string EncoderUnderTest::scaling() const {
  if (encoder.layers.size() >= dims.n_audio_layer) return "";
  return std::to_string(encoder.layers.size()) + " of " + std::to_string(dims.n_audio_layer) +
         " layers measured, scaled";
}

EncoderUnderTest encoder_of_size(const std::string& name, std::size_t most_layers) {
  const auto dims = dims_of_size(name);
  if (!dims) throw app::UsageError("size: expected one of" + known_sizes() + "; found " + name);
  std::error_code error;
  if (std::filesystem::exists(app::model_folder() / name, error)) {
    return encoder_of_model(name, most_layers);
  }
  return {name, "random", *dims,
          random_encoder_weights(*dims, std::min(most_layers, dims->n_audio_layer))};
}

EncoderUnderTest encoder_of_model(const std::string& name_or_path, std::size_t most_layers) {
  const auto path = app::find_model(name_or_path);
  const auto file = models::open_model(path);
  EncoderUnderTest model{path.filename().string(), "from its file", file->dims(),
                         models::load_encoder_weights(*file)};
  if (model.encoder.layers.size() > most_layers) model.encoder.layers.resize(most_layers);
  return model;
}

EncoderUnderTest encoder_asked_for(const BenchOptions& options, std::size_t most_layers) {
  EncoderUnderTest model = options.size.empty() ? encoder_of_model(options.work.model, most_layers)
                                                : encoder_of_size(options.size, most_layers);
  model.precision = app::cpu_precision(options.work.device);
  return model;
}

Summary time_layers(const EncoderUnderTest& model, std::size_t frames, models::ThreadPool& pool,
                    const TimingEffort& effort) {
  models::Dims dims = model.dims;
  dims.n_audio_ctx = frames;
  const encoder::CpuLayers layers(model.precision, dims, models::tensors_of(model.encoder.layers),
                                  pool);
  const auto backend = layers.make_backend(pool);
  models::Matrix states = random_matrix(frames, dims.n_audio_state, 1.0F);
  const auto window = [&] {
    backend->load(states.view());
    for (std::size_t layer = 0; layer < backend->n_layers(); ++layer) backend->run_layer(layer);
  };
  Summary time = time_calls(window, effort);
  const double scale =
      static_cast<double>(dims.n_audio_layer) / static_cast<double>(backend->n_layers());
  for (double* value : {&time.min, &time.p10, &time.median, &time.p90, &time.mean}) *value *= scale;
  return time;
}

double time_stem_and_norm(const EncoderUnderTest& model, models::ThreadPool& pool,
                          const TimingEffort& effort) {
  const encoder::PackedStemAndNorm ends(model.dims, model.encoder, pool, model.precision);
  encoder::Stem stem(ends, pool.n_threads());
  const models::LogMel mel{random_matrix(model.dims.n_mels, model.dims.n_mel_frames(), 1.0F)};
  models::Matrix states(model.dims.n_audio_ctx, model.dims.n_audio_state);
  const auto work = [&] {
    stem.run(pool, mel, states.view());
    kernels::layer_norm(pool, states.view(), ends.ln_post, states.view());
  };
  return time_calls(work, effort).median;
}

}  // namespace wnpu::bench
