// A model, loaded and bound to a device: log-mel windows in, decoded text out. What transcribe and
// bench both run.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoder/alignment.h"
#include "decoder/decoder.h"
#include "decoder/decoding_task.h"
#include "encoder/encoder.h"
#include "encoder/layer_backend.h"
#include "models/model_file.h"
#include "models/stages.h"
#include "models/thread_pool.h"
#include "models/vocabulary.h"
#include "models/weights.h"

namespace wnpu::app {

class Recognizer {
 public:
  // Loads the model. n_threads >= 1. Throws ModelError.
  Recognizer(const std::filesystem::path& model, std::size_t n_threads);

  const models::Dims& dims() const { return file_->dims(); }
  const models::ModelFile& file() const { return *file_; }
  const models::Vocabulary& vocabulary() const { return vocabulary_; }
  std::string_view backend_name() const { return backend_->name(); }

  // Asked many times a second while encode and decode work; true makes them give up.
  void set_should_stop(std::function<bool()> should_stop) { should_stop_ = std::move(should_stop); }

  // Encodes a window and makes it the one that the calls below listen to. False: it gave up.
  bool encode(const models::LogMel& mel);
  // Languages of the encoded window, most probable first. Multilingual models only.
  std::vector<std::pair<std::string, double>> language_probabilities();
  // Decodes the encoded window; nothing where it gave up. Throws std::invalid_argument for options
  // that the model cannot serve.
  std::optional<decoder::Decoded> decode(const decoder::DecodeOptions& options);
  // When the words of `text` were said in the encoded window, of whose frames n_frames are audio.
  std::vector<decoder::WordTiming> align(const decoder::DecodeOptions& options,
                                         std::span<const models::TokenId> text,
                                         std::size_t n_frames);

 private:
  std::unique_ptr<models::ModelFile> file_;
  models::Vocabulary vocabulary_;
  models::ThreadPool pool_;
  models::EncoderWeights encoder_weights_;
  models::DecoderWeights decoder_weights_;
  std::unique_ptr<encoder::LayerBackend> backend_;
  encoder::Encoder encoder_;
  decoder::Decoder decoder_;
  std::vector<std::pair<int, int>> alignment_heads_;
  models::EncoderStates states_;
  decoder::CrossKv window_;
  std::unique_ptr<decoder::KvCache> cache_;  // grows with the number of sequences asked for
  std::function<bool()> should_stop_;
};

}  // namespace wnpu::app
