// A transcription as it is asked for: OpenAI's fields, and this program's options by their own
// names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/subtitles.h"
#include "app/options/options.h"
#include "app/serve/form.h"

namespace wnpu::serve {

enum class ResponseFormat { json, text, srt, vtt, verbose_json, diarized_json };

struct Order {
  std::string model;  // as the client calls it; empty: the first
  std::string url;    // of the recording; empty: it is in the form
  ResponseFormat format = ResponseFormat::json;
  bool is_streamed = false;    // server-sent events
  bool wants_segments = true;  // of verbose_json
  bool wants_words = false;
  TranscribeOptions transcribe;
  app::SubtitleLayout layout;
};

// `usual` is what the server was started with. Throws ApiError, 400, for a field that is unknown,
// has another value than it may have, or would have no effect.
Order read_order(const std::vector<Field>& fields, Task task, const app::Options& usual);

}  // namespace wnpu::serve
