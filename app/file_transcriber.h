// What run() calls for each file: the transcriber on the loaded model, or for a dry run the audio
// stages alone.
#pragma once

#include <memory>
#include <string>

#include "app/callbacks.h"
#include "app/options.h"
#include "app/recognizer.h"
#include "app/run.h"
#include "app/transcriber.h"
#include "app/transcript.h"

namespace wnpu::app {

class FileTranscriber {
 public:
  // Loads the model unless this is a dry run. Throws ModelError; UsageError where the model lacks
  // the language or the task.
  FileTranscriber(const Options& options, const Setup& setup);

  // Throws what Transcriber::transcribe throws.
  Transcript transcribe(const std::string& input, const Callbacks& callbacks);

 private:
  audio::Input input_of(const std::string& name) const;
  Transcript measure_audio(const audio::Input& input, const Callbacks& callbacks) const;

  DeviceInfo device_after(std::size_t n_encoded_before) const;

  const Options& options_;
  const ChosenDevice& device_;
  ModelInfo model_;
  double load_s_ = 0;
  std::unique_ptr<Recognizer> recognizer_;    // none in a dry run
  std::unique_ptr<Transcriber> transcriber_;  // likewise
};

}  // namespace wnpu::app
