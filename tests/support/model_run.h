// A model on disk: loaded, with a session, or tried on a short tone with what reaches most of its
// parts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/window_loop.h"
#include "models/base/error.h"
#include "models/weights/precision.h"
#include "tests/support/text.h"

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

// One decoding a window: no tries at other temperatures, no doubt that it is speech.
inline TranscribeOptions single_try(std::size_t beam_size, std::size_t sample_len,
                                    const std::string& language = "en") {
  TranscribeOptions options;
  options.language = language;
  options.beam_size = beam_size;
  options.sample_len = sample_len;
  options.temperature_increment_on_fallback.reset();
  options.no_speech_threshold.reset();
  return options;
}

// Tokens of each segment.
inline std::vector<std::vector<std::int32_t>> segment_tokens(const Transcript& transcript) {
  std::vector<std::vector<std::int32_t>> all;
  for (const Segment& segment : transcript.segments) all.push_back(segment.tokens);
  return all;
}

// A transcript but for the times of its work, as one text to be compared.
inline std::string heard_text(const Transcript& transcript) {
  std::string text = transcript.language + std::to_string(transcript.n_windows) + ":" +
                     std::to_string(transcript.n_tokens) + ":" +
                     std::to_string(transcript.input.duration) + "\n";
  for (const Segment& segment : transcript.segments) {
    text += std::to_string(segment.id) + " " + std::to_string(segment.seek) + " " +
            std::to_string(segment.start) + " " + std::to_string(segment.end) + " " +
            std::to_string(segment.temperature) + " " + std::to_string(segment.avg_logprob) + " " +
            std::to_string(segment.no_speech_prob) + segment.text + "\n";
    for (const auto token : segment.tokens) text += std::to_string(token) + ",";
    for (const Word& word : segment.words) {
      text += word.text + std::to_string(word.start) + std::to_string(word.probability);
    }
  }
  for (const std::string& warning : transcript.warnings) text += warning;
  return text;
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
  return wnpu::tests::message_of<models::ModelError>([&] {
    app::Recognizer recognizer(load(model, precision), 1);
    app::transcribe_file(recognizer, options, {audio, {}});
  });
}

}  // namespace wnpu::tests
