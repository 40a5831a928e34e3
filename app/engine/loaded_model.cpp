#include "app/engine/loaded_model.h"

#include <utility>

#include "app/engine/model_path.h"
#include "decoder/text/alignment.h"
#include "models/files/open_model.h"

namespace wnpu::app {

LoadedModel::LoadedModel(const std::filesystem::path& path, models::Precision precision,
                         std::size_t n_threads)
    : LoadedModel(models::open_model(path, model_folder()), precision, n_threads) {}

LoadedModel::LoadedModel(std::shared_ptr<const models::ModelFile> file, models::Precision precision,
                         std::size_t n_threads)
    : LoadedModel(std::move(file), precision, models::ThreadPool(n_threads)) {}

LoadedModel::LoadedModel(std::shared_ptr<const models::ModelFile> file, models::Precision precision,
                         models::ThreadPool&& pool)
    : file_(std::move(file)),
      n_threads_(pool.n_threads()),
      vocabulary_(file_->token_bytes(), file_->dims(), file_->path()),
      ends_(dims(), models::find_encoder_ends(*file_), pool, precision),
      decoder_(dims(), models::find_decoder_weights(*file_), pool, precision),
      alignment_heads_(decoder::alignment_heads(dims(), file_->config())) {}

void LoadedModel::watch(
    const std::function<kernels::InputWatcher*(const std::string&)>& watcher_of) {
  cpu_layers();
  cpu_layers_->watch(watcher_of);
  decoder_.watch(watcher_of);
}

const encoder::CpuLayers& LoadedModel::cpu_layers() const {
  const std::lock_guard lock(layers_mutex_);
  if (!cpu_layers_) {
    models::ThreadPool pool(n_threads_);
    cpu_layers_ = std::make_unique<encoder::CpuLayers>(precision(), dims(),
                                                       models::find_encoder_layers(*file_), pool);
  }
  return *cpu_layers_;
}

const models::EncoderWeights& LoadedModel::device_layers() const {
  const std::lock_guard lock(layers_mutex_);
  if (!device_layers_) {
    auto weights = std::make_unique<models::EncoderWeights>(models::load_encoder_weights(*file_));
    static_cast<models::EncoderEnds&>(*weights) = {};  // stem_and_norm() has them
    device_layers_ = std::move(weights);
  }
  return *device_layers_;
}

}  // namespace wnpu::app
