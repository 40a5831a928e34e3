// The window loop: audio file -> log-mel windows -> tokens -> segments. The one place where it
// stands, for every device. Reference: openai/whisper transcribe.py transcribe().
#pragma once

#include <string>
#include <vector>

#include "app/callbacks.h"
#include "app/recognizer.h"
#include "app/transcribe_options.h"
#include "app/transcript.h"
#include "audio/mel_source.h"
#include "decoder/segments.h"

namespace wnpu::app {

class Transcriber {
 public:
  // `recognizer` must outlive the transcriber.
  Transcriber(Recognizer& recognizer, const TranscribeOptions& options);

  // Fills task, language, segments, input, timing (all but load) and warnings of a transcript.
  // Throws AudioError, DeviceError, std::invalid_argument (language, task).
  Transcript transcribe(const audio::Input& input, const Callbacks& callbacks);

 private:
  struct FileState;

  void set_initial_prompt(FileState& state) const;
  // These return false where the work was cancelled.
  bool choose_language(FileState& state);
  bool run_clips(FileState& state, const Callbacks& callbacks);
  // Decodes the window at state.seek and moves on; clip_end in frames.
  bool run_window(FileState& state, std::size_t clip_end, const Callbacks& callbacks);
  bool encode_window(FileState& state, const decoder::Window& window);
  std::optional<decoder::Decoded> decode_with_fallback(FileState& state);
  void add_words(FileState& state, const decoder::Window& window, decoder::SplitWindow& split);
  void take_over(FileState& state, decoder::SplitWindow& split, const Callbacks& callbacks);
  decoder::DecodeOptions decode_options(const FileState& state, double temperature) const;
  std::vector<models::TokenId> prompt(const FileState& state) const;

  Recognizer& recognizer_;
  TranscribeOptions options_;
  std::vector<double> temperatures_;  // to try in turn
  models::LogMel mel_;
};

}  // namespace wnpu::app
