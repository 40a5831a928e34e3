// A model on disk: loaded, with a session, or tried on a short tone with what reaches most of its
// parts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clip_loop.h"
#include "app/engine/windows/recognizer.h"
#include "models/base/error.h"
#include "models/weights/precision.h"

namespace wnpu::tests {

inline std::shared_ptr<const app::LoadedModel> load(
    const std::filesystem::path& model, models::Precision precision = models::Precision::fp32) {
  return std::make_shared<const app::LoadedModel>(model, precision, 2);
}

// On the CPU in fp32.
inline Session session_of(const std::filesystem::path& model, unsigned threads = 2) {
  const DeviceOptions device{.requested = "cpu", .cpu_precision = "fp32"};
  return Session(Model(model.string(), {.device = device, .threads = threads}));
}

// Error that refuses the model; empty: the transcription ran. All other exceptions are faults of
// the program and leave this function.
inline std::string refusal_of(const std::filesystem::path& model,
                              const std::filesystem::path& audio, models::Precision precision) {
  TranscribeOptions options;
  options.language = "en";
  options.beam_size = 2;
  options.sample_len = 6;
  options.initial_prompt = "a prompt of some words";
  options.temperature_increment_on_fallback = 1.0;  // a search, then samples
  try {
    app::Recognizer recognizer(load(model, precision), 1);
    app::transcribe_file(recognizer, options, {audio, {}});
  } catch (const models::ModelError& error) {
    return error.what();
  }
  return {};
}

}  // namespace wnpu::tests
