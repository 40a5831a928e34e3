// A model's weights, packed, and its vocabulary: what does not change, and any number of
// recognizers share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "decoder/model/packed_decoder.h"
#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/stem.h"
#include "models/base/thread_pool.h"
#include "models/files/model_file.h"
#include "models/text/vocabulary.h"
#include "models/weights/precision.h"
#include "models/weights/weights.h"

namespace wnpu::app {

class LoadedModel {
 public:
  // Loads all but the encoder's layers. `precision` is what the CPU computes in; n_threads >= 1
  // pack the weights. Throws ModelError.
  LoadedModel(const std::filesystem::path& path, models::Precision precision,
              std::size_t n_threads);

  // Loads from a file that is open already.
  LoadedModel(std::shared_ptr<const models::ModelFile> file, models::Precision precision,
              std::size_t n_threads);

  // From now on each matrix product of the CPU shows its input rows to watcher_of(its name); null:
  // none. models/quantize/product_layers.h has the names. Call it before the model is used.
  void watch(const std::function<kernels::InputWatcher*(const std::string&)>& watcher_of);

  const models::ModelFile& file() const { return *file_; }
  const models::Dims& dims() const { return file_->dims(); }
  models::Precision precision() const { return decoder_.precision; }
  const models::Vocabulary& vocabulary() const { return vocabulary_; }
  const encoder::PackedStemAndNorm& stem_and_norm() const { return ends_; }
  const decoder::PackedDecoder& decoder() const { return decoder_; }
  // Layers and heads that words are aligned by.
  const std::vector<std::pair<int, int>>& alignment_heads() const { return alignment_heads_; }

  // The encoder's layers for the CPU, or in fp32 for a device: loaded when they are first asked
  // for, from any thread. Throws ModelError.
  const encoder::CpuLayers& cpu_layers() const;
  const models::EncoderWeights& device_layers() const;

 private:
  LoadedModel(std::shared_ptr<const models::ModelFile> file, models::Precision precision,
              models::ThreadPool&& pool);

  std::shared_ptr<const models::ModelFile> file_;
  std::size_t n_threads_;
  models::Vocabulary vocabulary_;
  encoder::PackedStemAndNorm ends_;
  decoder::PackedDecoder decoder_;
  std::vector<std::pair<int, int>> alignment_heads_;
  mutable std::mutex layers_mutex_;
  mutable std::unique_ptr<encoder::CpuLayers> cpu_layers_;
  mutable std::unique_ptr<const models::EncoderWeights> device_layers_;
};

}  // namespace wnpu::app
