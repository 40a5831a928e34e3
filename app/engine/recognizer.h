// A loaded model with working memory, and perhaps a device: log-mel windows in, decoded text out.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/devices/backends.h"
#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "decoder/model/decoder.h"
#include "decoder/search/decoding_task.h"
#include "decoder/text/alignment.h"
#include "encoder/encoder.h"
#include "encoder/layer_backend.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"
#include "models/text/vocabulary.h"

namespace wnpu::app {

// An encoded window and how to decode it.
struct DecodeJob {
  std::size_t slot = 0;
  decoder::DecodeOptions options;
};

class Recognizer {
 public:
  // n_threads >= 1. The device, none: the CPU, must outlive the recognizer, and hands over to the
  // CPU for good where it fails and `falls_back`. Throws ModelError, DeviceError.
  Recognizer(std::shared_ptr<const LoadedModel> model, std::size_t n_threads,
             EncoderDevice* device = nullptr, bool falls_back = false);

  const models::Dims& dims() const { return model_->dims(); }
  const models::Vocabulary& vocabulary() const { return model_->vocabulary(); }
  // Whether encode(mel, states) may work, and gains by it, on one thread while another decodes.
  bool encodes_on_device() const { return device_ != nullptr; }
  // Why the CPU has taken over from the device; empty: it has not.
  const std::string& fallback() const { return fallback_; }
  // Windows encoded so far, on the device or, since it failed, on the CPU.
  std::size_t n_encoded() const { return n_encoded_; }

  // Asked many times a second while what is below works, from the thread of each; true makes it
  // throw models::Stopped.
  void set_should_stop(std::function<bool()> should_stop);

  // For other work between the calls here.
  models::ThreadPool& pool() { return pool_; }

  // The encoder alone.
  void encode(const models::LogMel& mel, models::EncoderStates& states);
  // Keeps an encoded window in `slot` (0, 1, ...) for the calls below: the keys and values of
  // cross-attention, the decoder's first work on a window.
  void keep(std::size_t slot, const models::EncoderStates& states);
  // Both; their times are added to `encode` and `decode`.
  void encode(std::size_t slot, const models::LogMel& mel, Timing& timing);
  // Languages of an encoded window, most probable first. Multilingual models only.
  std::vector<std::pair<std::string, double>> language_probabilities(std::size_t slot);
  // Decodes encoded windows together. Throws std::invalid_argument for options that the model
  // cannot serve.
  std::vector<decoder::Decoded> decode(std::span<const DecodeJob> jobs);
  // When the words of `texts` were said in an encoded window, of whose frames n_frames are audio.
  std::vector<decoder::WordTiming> align(const DecodeJob& job,
                                         std::span<const std::vector<models::TokenId>> texts,
                                         std::size_t n_frames);

 private:
  void make_encoder();

  std::shared_ptr<const LoadedModel> model_;
  models::ThreadPool pool_;
  EncoderDevice* device_;  // or nullptr
  bool falls_back_;
  // The encoder's, with a device: a pool has one caller at a time. None: pool_.
  std::unique_ptr<models::ThreadPool> encoder_pool_;
  std::unique_ptr<encoder::LayerBackend> layers_;
  std::unique_ptr<encoder::Encoder> encoder_;
  decoder::Decoder decoder_;
  std::string fallback_;
  std::size_t n_encoded_ = 0;
  models::EncoderStates states_;             // of encode(slot, ...)
  std::vector<decoder::CrossKv> windows_;    // a slot
  std::unique_ptr<decoder::KvCache> cache_;  // grows with the number of sequences asked for
  std::function<bool()> should_stop_;
};

}  // namespace wnpu::app
