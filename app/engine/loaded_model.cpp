#include "app/engine/loaded_model.h"

#include "app/engine/model_path.h"
#include "decoder/text/alignment.h"
#include "models/files/open_model.h"

namespace wnpu::app {

LoadedModel::LoadedModel(const std::filesystem::path& path, models::Precision precision,
                         std::size_t n_threads)
    : LoadedModel(path, precision, models::ThreadPool(n_threads)) {}

LoadedModel::LoadedModel(const std::filesystem::path& path, models::Precision precision,
                         models::ThreadPool&& pool)
    : file_(models::open_model(path, model_folder())),
      n_threads_(pool.n_threads()),
      vocabulary_(file_->token_bytes(), file_->dims(), file_->path()),
      ends_(dims(), models::find_encoder_ends(*file_), pool, precision),
      decoder_(dims(), models::find_decoder_weights(*file_), pool, precision),
      alignment_heads_(decoder::alignment_heads(dims(), file_->config())) {}

const encoder::CpuLayers& LoadedModel::cpu_layers() const {
  const std::lock_guard lock(layers_mutex_);
  if (!cpu_layers_) {
    models::ThreadPool pool(n_threads_);
    cpu_layers_ = std::make_unique<const encoder::CpuLayers>(
        precision(), dims(), models::find_encoder_layers(*file_), pool);
  }
  return *cpu_layers_;
}

const models::EncoderWeights& LoadedModel::device_layers() const {
  const std::lock_guard lock(layers_mutex_);
  if (!device_layers_) {
    auto weights = std::make_unique<models::EncoderWeights>(models::load_encoder_weights(*file_));
    static_cast<models::EncoderEnds&>(*weights) = {};  // encoder_ends() has them
    device_layers_ = std::move(weights);
  }
  return *device_layers_;
}

}  // namespace wnpu::app
