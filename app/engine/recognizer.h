// A loaded model with a device and working memory: log-mel windows in, decoded text out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "decoder/model/decoder.h"
#include "decoder/search/decoding_task.h"
#include "decoder/text/alignment.h"
#include "encoder/encoder.h"
#include "encoder/layer_backend.h"
#include "encoder/npu/npu_backend.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"
#include "models/text/vocabulary.h"
#include "npu/device.h"

namespace wnpu::app {

// An encoded window and how to decode it.
struct DecodeJob {
  std::size_t slot = 0;
  decoder::DecodeOptions options;
};

// Where the encoder's layers run.
struct EncoderDevice {
  npu::Device* npu = nullptr;  // none: the CPU
  encoder::NpuOptions options;
  bool falls_back = false;  // to the CPU, for good, where the device fails
};

class Recognizer {
 public:
  // n_threads >= 1; the device must outlive the recognizer. Throws ModelError, DeviceError.
  Recognizer(std::shared_ptr<const LoadedModel> model, std::size_t n_threads,
             const EncoderDevice& device = {});

  const models::Dims& dims() const { return model_->dims(); }
  const models::Vocabulary& vocabulary() const { return model_->vocabulary(); }
  std::string_view backend_name() const { return backend_->name(); }
  // Why the CPU has taken over from the device; empty: it has not.
  const std::string& fallback() const { return fallback_; }
  // Windows encoded on `backend_name()` so far.
  std::size_t n_encoded() const { return n_encoded_; }

  // Asked many times a second while what is below works, from the thread of each; true makes them
  // give up: they say so, or throw models::Stopped.
  void set_should_stop(std::function<bool()> should_stop);

  // For other work between the calls here.
  models::ThreadPool& pool() { return pool_; }

  // Whether encode(mel, states) may work, and gains by it, on one thread while another decodes:
  // where the layers run on a device.
  bool encodes_beside_decoding() const { return encoder_pool_ && backend_name() != "cpu"; }

  // The encoder alone. False: it gave up.
  bool encode(const models::LogMel& mel, models::EncoderStates& states);
  // Keeps an encoded window in `slot` (0, 1, ...) for the calls below: the keys and values of
  // cross-attention, the decoder's first work on a window.
  void keep(std::size_t slot, const models::EncoderStates& states);
  // Both. Where `timing` is given, their times are added to `encode` and `decode`.
  bool encode(std::size_t slot, const models::LogMel& mel, Timing* timing = nullptr);
  // Languages of an encoded window, most probable first. Multilingual models only.
  std::vector<std::pair<std::string, double>> language_probabilities(std::size_t slot);
  // Decodes encoded windows together; nothing where it gave up. Throws std::invalid_argument for
  // options that the model cannot serve.
  std::optional<std::vector<decoder::Decoded>> decode(std::span<const DecodeJob> jobs);
  // When the words of `texts` were said in an encoded window, of whose frames n_frames are audio.
  std::vector<decoder::WordTiming> align(const DecodeJob& job,
                                         std::span<const std::vector<models::TokenId>> texts,
                                         std::size_t n_frames);

 private:
  std::unique_ptr<encoder::LayerBackend> make_backend(const EncoderDevice& device);
  bool encode_or_fall_back(const models::LogMel& mel, models::EncoderStates& states);
  models::ThreadPool& encoder_pool() { return encoder_pool_ ? *encoder_pool_ : pool_; }

  std::shared_ptr<const LoadedModel> model_;
  models::ThreadPool pool_;
  // The encoder's, with a device: a pool has one caller at a time. None: pool_.
  std::unique_ptr<models::ThreadPool> encoder_pool_;
  npu::Device* npu_;  // or nullptr
  std::unique_ptr<encoder::LayerBackend> backend_;
  std::unique_ptr<encoder::Encoder> encoder_;
  decoder::Decoder decoder_;
  bool falls_back_;
  std::string fallback_;
  std::size_t n_encoded_ = 0;
  models::EncoderStates states_;             // of encode(slot, ...)
  std::vector<decoder::CrossKv> windows_;    // a slot
  std::unique_ptr<decoder::KvCache> cache_;  // grows with the number of sequences asked for
  std::function<bool()> should_stop_;
};

}  // namespace wnpu::app
