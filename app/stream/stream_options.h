// The options of `whisper-npu stream`.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "app/options/options.h"
#include "app/stream/live_transcript.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 names it so
class App;
}

namespace wnpu::app {

inline constexpr std::string_view kLines = "text";
inline constexpr std::string_view kJsonLines = "jsonl";
inline constexpr std::string_view kLivePace = "live";
inline constexpr std::string_view kAudioPace = "audio";

struct StreamOptions {
  StreamOptions();

  Options work;  // model, device, decoding; files are none of it
  LiveOptions live;
  std::string device_input;  // of ALSA; empty: stdin
  std::string format{kLines};
  // live: what is late is left out; audio: each hypothesis at its time of the audio, so that the
  // same audio gives the same events.
  std::string pace{kLivePace};
  bool is_vad_model_given = false;
};

// `options` must outlive the command.
void add_stream_options(CLI::App& command, StreamOptions& options);

}  // namespace wnpu::app
