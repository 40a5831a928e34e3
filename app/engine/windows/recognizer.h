// A loaded model with working memory, and perhaps a device: log-mel windows in, decoded text out.
#pragma once

#include <deque>
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
#include "decoder/search/language.h"
#include "decoder/search/scheduler.h"
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
  // and keeps them in `slot` (0, 1, ...) for admit() and align(), which throw std::out_of_range for
  // a slot beyond the last.
  void keep(std::size_t slot, const models::EncoderStates& states);
  // Has the window decoded from the scheduler's next step on, with its slot as number. Throws
  // std::invalid_argument for options that the model cannot serve.
  void admit(const DecodeJob& job);
  decoder::Scheduler& scheduler() { return scheduler_; }
  // Detects the language of a window's states, or of some rows of them. `room` is reused where it
  // has the right size. Multilingual models only.
  decoder::HeardLanguages hear_languages(const models::EncoderStates& states,
                                         decoder::CrossKv& room);
  // When the words of `texts`, one list of tokens a segment, were said: seconds from the window's
  // start. n_frames: mel frames (10 ms) of audio in the window. Throws std::length_error as
  // find_alignment().
  std::vector<decoder::WordTiming> align(const DecodeJob& job,
                                         std::span<const std::vector<models::TokenId>> texts,
                                         std::size_t n_frames, bool wants_probabilities = true);

 private:
  std::shared_ptr<const LoadedModel> model_;
  std::size_t n_wanted_threads_;
  models::ThreadPool pool_;
  EncoderGroup encoder_;
  decoder::Decoder decoder_;
  decoder::KvCache cache_;
  std::deque<decoder::CrossKv> windows_;  // a slot; they stay where they are
  decoder::Scheduler scheduler_;
};

}  // namespace wnpu::app
