// A loaded model with working memory, and perhaps a device: log-mel windows in, decoded text out.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/devices/encoder_group.h"
#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "decoder/model/decoder.h"
#include "decoder/search/decoding_task.h"
#include "decoder/search/language.h"
#include "decoder/text/alignment.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"
#include "models/text/vocabulary.h"

namespace wnpu::app {

// An encoded window and how to decode it.
struct DecodeJob {
  std::size_t slot = 0;  // that keep() has filled
  decoder::DecodeOptions options;
};

class Recognizer {
 public:
  // n_threads >= 1. The devices, none: the CPU, must outlive the recognizer. Throws Error,
  // ModelError, DeviceError.
  Recognizer(std::shared_ptr<const LoadedModel> model, std::size_t n_threads,
             EncoderSet* devices = nullptr, const CpuShare& cpu = {});

  const models::Dims& dims() const { return model_->dims(); }
  const models::Vocabulary& vocabulary() const { return model_->vocabulary(); }
  // Its encode() may work on one thread while another decodes, and gains by it, where it is on a
  // device.
  EncoderGroup& encoder() { return encoder_; }

  // Asked many times a second while what is below works, from the thread of each; true makes it
  // throw models::Stopped.
  void set_should_stop(std::function<bool()> should_stop);

  // For other work between the calls here.
  models::ThreadPool& pool() { return pool_; }
  // Threads that the pool was asked for: n_threads, less those of a CPU that encodes beside
  // devices.
  std::size_t n_wanted_threads() const { return n_wanted_threads_; }

  // Computes the cross-attention keys and values of `states` [at most n_audio_ctx, n_audio_state],
  // and keeps them in `slot` (0, 1, ...) for the calls below. These throw std::out_of_range for a
  // slot beyond the last.
  void keep(std::size_t slot, const models::EncoderStates& states);
  // Detects the language of the window in `slot`. Multilingual models only.
  decoder::HeardLanguages hear_languages(std::size_t slot);
  // Detects that of some rows of a window's states.
  decoder::HeardLanguages hear_languages(const models::EncoderStates& states);
  // Decodes the windows of `jobs` together; result i is job i's. Throws std::invalid_argument for
  // options that the model cannot serve, models::Stopped.
  std::vector<decoder::Decoded> decode(std::span<const DecodeJob> jobs);
  // When the words of `texts`, one list of tokens a segment, were said: seconds from the window's
  // start. n_frames: mel frames (10 ms) of audio in the window. Throws std::length_error as
  // find_alignment().
  std::vector<decoder::WordTiming> align(const DecodeJob& job,
                                         std::span<const std::vector<models::TokenId>> texts,
                                         std::size_t n_frames);

 private:
  std::shared_ptr<const LoadedModel> model_;
  std::size_t n_wanted_threads_;
  models::ThreadPool pool_;
  EncoderGroup encoder_;
  decoder::Decoder decoder_;
  std::vector<decoder::CrossKv> windows_;    // a slot
  decoder::CrossKv heard_;                   // of states whose language alone is asked for
  std::unique_ptr<decoder::KvCache> cache_;  // grows with the number of sequences asked for
  std::function<bool()> should_stop_;
};

}  // namespace wnpu::app
