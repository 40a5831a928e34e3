// How each window of a file is decoded: the file's options, and the text before it as a prompt.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "decoder/search/decode_options.h"
#include "decoder/text/fallback.h"
#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/text/vocabulary.h"

namespace wnpu::app {

// State that a window passes on to the next.
struct Context {
  std::string language = {};                // spoken last, where windows differ; else empty
  std::vector<models::TokenId> all_tokens;  // of every segment so far, the initial prompt first
  std::size_t prompt_reset_since = 0;       // tokens before this are no prompt any more
  double last_speech_timestamp = 0;         // seconds; with word timestamps
};

// A window that is about to be decoded, in frames of the file.
struct WindowPlace {
  std::size_t seek = 0;      // its first frame
  std::size_t clip_end = 0;  // of its clip
};

class WindowOptions {
 public:
  // All but `language` must outlive it.
  WindowOptions(const TranscribeOptions& options, const models::Dims& dims,
                const models::Vocabulary& vocabulary, const std::string& language);

  // To try in turn.
  const std::vector<double>& temperatures() const { return temperatures_; }
  const decoder::Thresholds& thresholds() const { return thresholds_; }
  // Before a file's first window.
  Context first_context() const { return {.all_tokens = initial_prompt_}; }
  // Options of the window at `place`: the file's, with the context's language and prompt, the
  // temperature and, at the file's start, the prefix.
  decoder::DecodeOptions at(const WindowPlace& place, const Context& context,
                            double temperature) const;
  // Frames that a window may leave over at the end of a clip of speech.
  std::size_t shortest_rest() const;

 private:
  bool forces_speech() const;  // clips are heard to their end
  std::optional<float> speech_end(const WindowPlace& place) const;
  std::vector<models::TokenId> prompt(const Context& context) const;

  const TranscribeOptions& options_;
  const models::Dims& dims_;
  decoder::DecodeOptions of_file_;
  std::vector<double> temperatures_;
  decoder::Thresholds thresholds_;
  std::vector<models::TokenId> initial_prompt_;  // tokens of the option
  std::vector<models::TokenId> hotwords_;        // likewise
  std::vector<models::TokenId> prefix_;          // likewise
  std::vector<models::TokenId> chinese_style_;   // prompt of Chinese clips that have no other
};

}  // namespace wnpu::app
