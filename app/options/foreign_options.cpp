#include "app/options/foreign_options.h"

#include <algorithm>
#include <array>

namespace wnpu::app {
namespace {

constexpr std::string_view kNoDiarization = "nobody tells speakers apart here: leave it out";
constexpr std::string_view kLive =
    "a microphone is another command's: write stream --device-input default";
constexpr std::string_view kNoGpu = "nothing runs on a GPU here: leave it out";
constexpr std::string_view kNoGrammar = "no grammar bounds the text here: leave it out";
constexpr std::string_view kClip =
    "seconds are counted here, not milliseconds: write --clip-timestamps 60,90 for 60 to 90";
// Beside the recording, as whisper.cpp writes it, but as talk.srt, not talk.wav.srt.
constexpr std::string_view kBesideSrt = "write --format srt --beside";
constexpr std::string_view kBesideJson = "write --format json --beside";
constexpr std::string_view kBesideFull = "write --format json --beside --word-timestamps True";
constexpr std::string_view kBesideWords =
    "write --format srt --beside --word-timestamps True --highlight-words True";
constexpr std::string_view kOutputFile = "write --output talk.srt";

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
    ForeignOption{"speaker-num", "", kNoDiarization},
    ForeignOption{"speaker-name", "", kNoDiarization},
    ForeignOption{"live-transcribe", "", kLive},
    ForeignOption{"live-volume-threshold", "",
                  "stream finds speech by its probability: write stream --vad-threshold 0.5"},
    ForeignOption{"live-input-device", "", kLive},
    ForeignOption{"vad-onset", "vad-threshold", ""},
    // Names that are guessed.
    ForeignOption{"log-prob-threshold", "logprob-threshold", ""},
    ForeignOption{"json", "format", "", "json"},
    ForeignOption{"srt", "format", "", "srt"},
    ForeignOption{"vtt", "format", "", "vtt"},
    ForeignOption{"txt", "format", "", "txt"},
    // whisper.cpp's
    ForeignOption{"translate", "task", "", "translate"},
    ForeignOption{"prompt", "initial-prompt", ""},
    ForeignOption{"no-prints", "quiet", ""},
    ForeignOption{"no-fallback", "temperature-increment-on-fallback", "", "None"},
    ForeignOption{"temperature-inc", "temperature-increment-on-fallback", ""},
    ForeignOption{"logprob-thold", "logprob-threshold", ""},
    ForeignOption{"no-speech-thold", "no-speech-threshold", ""},
    ForeignOption{"entropy-thold", "", "loops are told by --compression-ratio-threshold here"},
    ForeignOption{"word-thold", "", "no time of a word depends on it here: leave it out"},
    ForeignOption{"max-len", "", "write --max-line-width 40 --max-line-count 1"},
    ForeignOption{"split-on-word", "", "lines are cut between words: leave it out"},
    ForeignOption{"max-context", "", "for 0 write --condition-on-previous-text False"},
    ForeignOption{"audio-ctx", "", "a window has 30 s: leave it out"},
    ForeignOption{"offset-t", "", kClip},
    ForeignOption{"offset-n", "", "cues are counted from 1: leave it out"},
    ForeignOption{"duration", "", kClip},
    ForeignOption{"processors", "", "for several at once write --batch-size 8"},
    ForeignOption{"speed-up", "", "audio is heard as it is: leave it out"},
    ForeignOption{"diarize", "", kNoDiarization},
    ForeignOption{"tinydiarize", "", kNoDiarization},
    ForeignOption{"detect-language", "", "the language is told before the text: leave it out"},
    ForeignOption{"dtw", "", "write --word-timestamps True"},
    ForeignOption{"log-score", "", "write --format json, which has probabilities"},
    ForeignOption{"print-confidence", "", "write --color always"},
    ForeignOption{"print-special", "", "write --format json, which has the tokens"},
    ForeignOption{"print-progress", "", "a terminal shows the progress: leave it out"},
    ForeignOption{"debug-mode", "", "write --verbose"},
    ForeignOption{"suppress-nst", "", "they are, unless --suppress-tokens says so: leave it out"},
    ForeignOption{"suppress-regex", "", "write --suppress-tokens and their numbers"},
    ForeignOption{"grammar", "", kNoGrammar},
    ForeignOption{"grammar-rule", "", kNoGrammar},
    ForeignOption{"grammar-penalty", "", kNoGrammar},
    ForeignOption{"no-gpu", "", kNoGpu},
    ForeignOption{"flash-attn", "", kNoGpu},
    ForeignOption{"no-flash-attn", "", kNoGpu},
    ForeignOption{"ov-e-device", "", "OpenVINO is not used here: leave it out"},
    ForeignOption{"vad-samples-overlap", "", "clips do not overlap here: leave it out"},
    ForeignOption{"font-path", "", "no video is made here: leave it out"},
    ForeignOption{"file", "", "a file is named without an option"},
    ForeignOption{"output-txt", "", "write --format txt --beside"},
    ForeignOption{"output-vtt", "", "write --format vtt --beside"},
    ForeignOption{"output-srt", "", kBesideSrt},
    ForeignOption{"output-lrc", "", "write --format lrc --beside"},
    ForeignOption{"output-csv", "", "write --format csv --beside"},
    ForeignOption{"output-json", "", kBesideJson},
    ForeignOption{"output-json-full", "", kBesideFull},
    ForeignOption{"output-words", "", kBesideWords},
    ForeignOption{"output-file", "", kOutputFile},
};

// whisper.cpp's short names but -f, -h and what begins with -o, which are ours, and -vo, which is
// two of ours.
struct ShortName {
  std::string_view word;
  std::string_view name;
};
constexpr std::array kShortNames = {
    ShortName{"-t", "--threads"},
    ShortName{"-p", "--processors"},
    ShortName{"-d", "--duration"},
    ShortName{"-mc", "--max-context"},
    ShortName{"-ml", "--max-len"},
    ShortName{"-sow", "--split-on-word"},
    ShortName{"-bo", "--best-of"},
    ShortName{"-bs", "--beam-size"},
    ShortName{"-ac", "--audio-ctx"},
    ShortName{"-wt", "--word-thold"},
    ShortName{"-et", "--entropy-thold"},
    ShortName{"-lpt", "--logprob-thold"},
    ShortName{"-nth", "--no-speech-thold"},
    ShortName{"-tp", "--temperature"},
    ShortName{"-tpi", "--temperature-inc"},
    ShortName{"-debug", "--debug-mode"},
    ShortName{"-tr", "--translate"},
    ShortName{"-di", "--diarize"},
    ShortName{"-tdrz", "--tinydiarize"},
    ShortName{"-nf", "--no-fallback"},
    ShortName{"-fp", "--font-path"},
    ShortName{"-np", "--no-prints"},
    ShortName{"-ps", "--print-special"},
    ShortName{"-pc", "--print-colors"},
    ShortName{"-pp", "--print-progress"},
    ShortName{"-nt", "--no-timestamps"},
    ShortName{"-l", "--language"},
    ShortName{"-dl", "--detect-language"},
    ShortName{"-m", "--model"},
    ShortName{"-dtw", "--dtw"},
    ShortName{"-ls", "--log-score"},
    ShortName{"-ng", "--no-gpu"},
    ShortName{"-fa", "--flash-attn"},
    ShortName{"-nfa", "--no-flash-attn"},
    ShortName{"-sns", "--suppress-nst"},
    ShortName{"-su", "--speed-up"},
    ShortName{"-vm", "--vad-model"},
    ShortName{"-vt", "--vad-threshold"},
    ShortName{"-vspd", "--vad-min-speech-duration-ms"},
    ShortName{"-vsd", "--vad-min-silence-duration-ms"},
    ShortName{"-vmsd", "--vad-max-speech-duration-s"},
    ShortName{"-vp", "--vad-speech-pad-ms"},
};

// Behind whisper.cpp's -o, and names of formats, which look the same: what to write.
struct GluedOutput {
  std::string_view letters;
  std::string_view advice;
};
constexpr std::array kGluedOutputs = {
    GluedOutput{"text", "write --format text"},
    GluedOutput{"txt", "write --format txt --beside"},
    GluedOutput{"srt", kBesideSrt},
    GluedOutput{"vtt", "write --format vtt --beside"},
    GluedOutput{"tsv", "write --format tsv --beside"},
    GluedOutput{"json", kBesideJson},
    GluedOutput{"jsonl", "write --format jsonl --beside"},
    GluedOutput{"lrc", "write --format lrc --beside"},
    GluedOutput{"csv", "write --format csv --beside"},
    GluedOutput{"all", "write --format all --beside"},
    GluedOutput{"j", kBesideJson},
    GluedOutput{"jf", kBesideFull},
    GluedOutput{"wts", kBesideWords},
    GluedOutput{"f", kOutputFile},
    GluedOutput{"t", kClip},
    GluedOutput{"n", "cues are counted from 1: leave it out"},
};

}  // namespace

std::span<const ForeignOption> foreign_options() { return kOptions; }

const ForeignOption* find_foreign_option(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kOptions, [&](const ForeignOption& each) { return each.name == name; });
  return found == kOptions.end() ? nullptr : found;
}

std::string_view long_name_of(std::string_view word) {
  const auto* const found = std::ranges::find(kShortNames, word, &ShortName::word);
  return found == kShortNames.end() ? "" : found->name;
}

std::string_view advice_for_glued_output(std::string_view letters) {
  const auto* const found = std::ranges::find(kGluedOutputs, letters, &GluedOutput::letters);
  return found == kGluedOutputs.end() ? "" : found->advice;
}

}  // namespace wnpu::app
