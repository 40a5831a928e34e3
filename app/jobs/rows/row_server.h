// The side of the worker that has the engine: rows come over the channel, answers go back.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "app/engine/whisper_npu.hpp"
#include "app/jobs/rows/channel.h"
#include "app/jobs/rows/fetch_ahead.h"
#include "app/jobs/rows/row_queue.h"

namespace wnpu::app {

// Session::transcribe_each, with its options; tests have their own.
using TranscribeEach = std::function<void(std::size_t n_together, const RecordingCallbacks&)>;

struct Serving {
  RowLimits limits;
  bool with_words = false;
  Audio audio = {};                                           // what holds of each recording
  std::function<void(const Transcript&)> on_transcript = {};  // before it is answered
  FetchUrl fetch = {};                                        // a row's recording that is at a URL
};

// Until the channel ends. Throws what transcribe_each does, where that is not one row's fault.
void serve_rows(Channel& channel, const Serving& serving, const TranscribeEach& transcribe_each);

// Messages over the channel: a row to the server; back: that it has begun, its answer.
nlohmann::ordered_json row_message(std::size_t number, const Row& row);
inline constexpr const char* kRowBegan = "began";
inline constexpr const char* kRowAnswered = "answered";
inline constexpr const char* kFields = "fields";

}  // namespace wnpu::app
