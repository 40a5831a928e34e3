#include "app/cli/foreign_options.h"

#include <algorithm>
#include <array>

namespace wnpu::app {
namespace {

constexpr std::string_view kNoDiarization = "nobody tells speakers apart here: leave it out";
constexpr std::string_view kLive =
    "a microphone is another command's: write stream --device-input default";

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
    ForeignOption{"device-index", "", "write the number behind the device: --device npu:1"},
    ForeignOption{"num-workers", "", "write --batch-size 8"},
    ForeignOption{"local-files-only", "", "write --offline, without a value"},
    ForeignOption{"download-root", "", "write --model-dir"},
    ForeignOption{"pretty-json", "", "json is indented, jsonl is not: write --format"},
    ForeignOption{"print-colors", "",
                  "write --color auto or always, with --word-timestamps True for each word's own"},
    ForeignOption{"log-progress", "", "a terminal shows the progress: leave it out"},
    ForeignOption{"power-budget", "",
                  "no published figure says what this NPU draws: leave it out (npu/README.md)"},
    ForeignOption{"hf-token", "", kNoDiarization},
    ForeignOption{"speaker-name", "", kNoDiarization},
    ForeignOption{"live-transcribe", "", kLive},
    ForeignOption{"live-volume-threshold", "",
                  "stream finds speech by its probability: write stream --vad-threshold 0.5"},
    ForeignOption{"live-input-device", "", kLive},
};

// Behind whisper.cpp's -o, and names of formats, which look the same: what to write.
struct GluedOutput {
  std::string_view letters;
  std::string_view advice;
};
constexpr std::array kGluedOutputs = {
    GluedOutput{"text", "--format text"},
    GluedOutput{"txt", "--format txt"},
    GluedOutput{"srt", "--format srt"},
    GluedOutput{"vtt", "--format vtt"},
    GluedOutput{"tsv", "--format tsv"},
    GluedOutput{"json", "--format json"},
    GluedOutput{"jsonl", "--format jsonl"},
    GluedOutput{"lrc", "--format lrc"},
    GluedOutput{"csv", "--format csv"},
    GluedOutput{"all", "--format all"},
    GluedOutput{"j", "--format json"},
    GluedOutput{"jf", "--format json --word-timestamps True"},
    GluedOutput{"wts", "--format srt --word-timestamps True --highlight-words True"},
    GluedOutput{"f", "--output FILE"},
};

}  // namespace

std::span<const ForeignOption> foreign_options() { return kOptions; }

const ForeignOption* find_foreign_option(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kOptions, [&](const ForeignOption& each) { return each.name == name; });
  return found == kOptions.end() ? nullptr : found;
}

std::string_view advice_for_glued_output(std::string_view letters) {
  const auto* const found = std::ranges::find(kGluedOutputs, letters, &GluedOutput::letters);
  return found == kGluedOutputs.end() ? "" : found->advice;
}

}  // namespace wnpu::app
