#include "app/cli/foreign_options.h"

#include <algorithm>
#include <array>

namespace wnpu::app {
namespace {

constexpr std::string_view kNoDiarization = "nobody tells speakers apart here: leave it out";
constexpr std::string_view kNoMicrophone = "there is no live mode: write - and send sound to stdin";

constexpr std::array kOptions = {
    ForeignOption{"vad-filter", "vad", ""},
    ForeignOption{"model-directory", "model", ""},
    ForeignOption{"max-new-tokens", "max-tokens", ""},
    ForeignOption{"cpu-threads", "threads", ""},
    ForeignOption{"compute-type", "", "write --precision fp32, int16 or int8"},
    ForeignOption{"vad-parameters", "", "write --vad-threshold, --vad-speech-pad-ms and so on"},
    ForeignOption{"vad-max-speech-duration-s", "", "speech is cut to windows: leave it out"},
    ForeignOption{"batched", "", "write --batch-size 8"},
    ForeignOption{"chunk-length", "", "a window has 30 s: leave it out"},
    ForeignOption{"without-timestamps", "", "write --no-timestamps, without a value"},
    ForeignOption{"suppress-blank", "", "no window begins with a blank: leave it out"},
    ForeignOption{"max-initial-timestamp", "", "it is 1 s, as openai-whisper's: leave it out"},
    ForeignOption{"prompt-reset-on-temperature", "",
                  "it is 0.5, as openai-whisper's: leave it out"},
    ForeignOption{"multilingual", "", "a file has one language: leave it out"},
    ForeignOption{"device-index", "", "the one NPU is taken: leave it out"},
    ForeignOption{"num-workers", "", "write --batch-size 8"},
    ForeignOption{"local-files-only", "", "nothing is fetched: leave it out"},
    ForeignOption{"download-root", "", "write --model-dir"},
    ForeignOption{"pretty-json", "", "json is indented, jsonl is not: write --format"},
    ForeignOption{"print-colors", "",
                  "write --color auto or always, with --word-timestamps True for each word's own"},
    ForeignOption{"log-progress", "", "a terminal shows the progress: leave it out"},
    ForeignOption{"power-budget", "",
                  "no published figure says what this NPU draws: leave it out (npu/README.md)"},
    ForeignOption{"hf-token", "", kNoDiarization},
    ForeignOption{"speaker-name", "", kNoDiarization},
    ForeignOption{"live-transcribe", "", kNoMicrophone},
    ForeignOption{"live-volume-threshold", "", kNoMicrophone},
    ForeignOption{"live-input-device", "", kNoMicrophone},
};

}  // namespace

std::span<const ForeignOption> foreign_options() { return kOptions; }

const ForeignOption* find_foreign_option(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kOptions, [&](const ForeignOption& each) { return each.name == name; });
  return found == kOptions.end() ? nullptr : found;
}

}  // namespace wnpu::app
