#include "app/options/option_needs.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "app/engine/devices/backends.h"
#include "app/engine/devices/device_names.h"
#include "app/options/exit_code.h"

namespace wnpu::app {
namespace {

struct Need {
  std::string_view option;
  std::string_view what;
  bool (*is_met)(const Options&);
};

bool has_vad(const Options& options) { return options.transcribe.vad.enabled; }
bool has_words(const Options& options) { return options.transcribe.word_timestamps; }
bool detects_language(const Options& options) { return options.transcribe.language.empty(); }
bool may_be_npu(const Options& options) { return may_be(options.device.requested, kNpuBackend); }
bool may_be_simulator(const Options& options) {
  return may_be(options.device.requested, kSimulatorBackend);
}
bool may_be_ort(const Options& options) { return may_be(options.device.requested, kOrtBackend); }
bool may_use_npu(const Options& options) {
  return may_be_npu(options) || may_be_simulator(options);
}
bool may_use_device(const Options& options) {
  return std::ranges::any_of(backends(), [&](const Backend& backend) {
    return backend.open != nullptr && may_be(options.device.requested, backend.name);
  });
}
bool may_be_cpu(const Options& options) {
  const std::string& requested = options.device.requested;
  return requested == kAutoDevice || may_be(requested, backends().front().name) ||
         options.device.falls_back;
}
bool may_sample(const Options& options) {
  const TranscribeOptions& transcribe = options.transcribe;
  return transcribe.temperature > 0 || transcribe.temperature_increment_on_fallback;
}
bool has_second_try(const Options& options) {
  return options.transcribe.temperature_increment_on_fallback.has_value();
}
bool has_beams(const Options& options) {
  return options.transcribe.temperature == 0 && options.transcribe.beam_size > 1;
}

bool has_cpu_beside(const Options& options) {
  return parse_devices(options.device.requested).with_cpu;
}

bool has_no_rules(const Options& options) { return !options.layout.rules.has_value(); }

bool has_rows(const Options& options) { return !options.manifest.file.empty(); }

constexpr std::string_view kManifest = "--manifest";
constexpr std::string_view kCpuBeside = "--device cpu,npu or cpu,sim";
constexpr std::string_view kOrt = "--device ort";
constexpr std::string_view kVad =
    "speech detection, which --vad False and --clip-timestamps turn off";
constexpr std::string_view kWords = "--word-timestamps True";
constexpr std::string_view kNoRules = "subtitles without --subtitle-rules";
constexpr std::string_view kSampling =
    "--temperature above 0 or a --temperature-increment-on-fallback";
constexpr std::string_view kBeams = "--temperature 0 and --beam-size above 1";

constexpr std::array kNeeds = {
    Need{"--follow-links", "--recursive or --watch",
         [](const Options& o) { return o.recursive || !o.watch.empty(); }},
    Need{"--vad-model", kVad, has_vad},
    Need{"--vad-threshold", kVad, has_vad},
    Need{"--vad-neg-threshold", kVad, has_vad},
    Need{"--vad-min-speech-duration-ms", kVad, has_vad},
    Need{"--vad-min-silence-duration-ms", kVad, has_vad},
    Need{"--vad-speech-pad-ms", kVad, has_vad},
    Need{"--speakers", "--channels mix: each separate channel is a speaker",
         [](const Options& options) { return options.transcribe.channels == Channels::mix; }},
    Need{"--speaker-model", "--speakers",
         [](const Options& options) { return options.transcribe.speakers.enabled; }},
    Need{"--speaker-names", "--speakers or --channels separate",
         [](const Options& options) {
           return options.transcribe.speakers.enabled ||
                  options.transcribe.channels == Channels::separate;
         }},
    Need{"--shard", kManifest, has_rows},
    Need{"--resume", kManifest, has_rows},
    Need{"--retry-failed", "--resume",
         [](const Options& options) { return !options.manifest.resume.empty(); }},
    Need{"--summary", kManifest, has_rows},
    Need{"--batch-seconds", kManifest, has_rows},
    Need{"--order", kManifest, has_rows},
    Need{"--max-attempts", kManifest, has_rows},
    Need{"--row-timeout", kManifest, has_rows},
    Need{"--row-timeout", "--isolate on or auto",
         [](const Options& options) { return options.isolation != Isolation::off; }},
    Need{"--row-timeout-factor", "--row-timeout",
         [](const Options& options) { return options.rows.timeout_s > 0; }},
    Need{"--pool-padding", "a CPU that encodes", may_be_cpu},
    Need{"--npu-plan", "another --device than cpu", may_use_npu},
    Need{"--npu-precision", "another --device than cpu", may_use_npu},
    Need{"--npu-precision", "--npu-plan fused or batched",
         [](const Options& options) {
           return options.device.precision == "bf16" || options.device.plan == "fused" ||
                  options.device.plan == "batched";
         }},
    Need{"--npu-operator", "another --device than cpu", may_use_npu},
    Need{"--operator", "--npu-operator",
         [](const Options& options) { return !options.device.npu_operator.empty(); }},
    Need{"--device-split", "several devices, and no CPU beside them",
         [](const Options& options) {
           const NamedDevices named = parse_devices(options.device.requested);
           return !named.with_cpu && named.indexes.size() > 1;
         }},
    Need{"--cpu-window-ms", kCpuBeside, has_cpu_beside},
    Need{"--npu-window-ms", kCpuBeside, has_cpu_beside},
    Need{"--npu-plan-file", "another --device than cpu", may_use_npu},
    Need{"--memory-limit", "another --device than cpu",
         [](const Options& options) {
           return (options.bounds_host && options.manifest.file.empty()) || may_use_npu(options);
         }},
    Need{"--fallback", "another --device than cpu", may_use_device},
    Need{"--npu-preset", "--device sim, or a plan by the time model",
         [](const Options& options) {
           return may_be_simulator(options) || has_cpu_beside(options) ||
                  options.device.split == kAutoDevice;
         }},
    Need{"--xclbin", "--device npu", may_be_npu},
    Need{"--ort-library", kOrt, may_be_ort},
    Need{"--ort-plugin", kOrt, may_be_ort},
    Need{"--ort-option", kOrt, may_be_ort},
    Need{"--ort-weights", kOrt, may_be_ort},
    Need{"--fp16", "--precision fp32 or none, which is what False means",
         [](const Options& options) { return options.device.cpu_precision == "fp32"; }},
    Need{"--gemm", "--precision fp32 or none",
         [](const Options& options) { return options.device.cpu_precision == "fp32"; }},
    Need{"--subtitle-rules", kWords, has_words},
    Need{"--max-line-width", kWords, has_words},
    Need{"--max-line-width", kNoRules, has_no_rules},
    Need{"--max-line-count", kWords, has_words},
    Need{"--max-line-count", "--max-line-width, as in --max-line-width 42",
         [](const Options& options) { return options.layout.max_line_width.has_value(); }},
    Need{"--max-line-count", kNoRules, has_no_rules},
    Need{"--max-words-per-line", kWords, has_words},
    Need{"--max-words-per-line", kNoRules, has_no_rules},
    Need{"--max-words-per-line", "subtitles without --max-line-count",
         [](const Options& options) { return !options.layout.max_line_count.has_value(); }},
    Need{"--highlight-words", kWords, has_words},
    Need{"--highlight-words", kNoRules, has_no_rules},
    Need{"--prepend-punctuations", kWords, has_words},
    Need{"--append-punctuations", kWords, has_words},
    Need{"--hallucination-silence-threshold", kWords, has_words},
    Need{"--beam-size", "--temperature 0",
         [](const Options& options) { return options.transcribe.temperature == 0; }},
    Need{"--patience", kBeams, has_beams},
    Need{"--best-of", kSampling, may_sample},
    Need{"--seed", kSampling, may_sample},
    Need{"--length-penalty", "--beam-size or --best-of above 1",
         [](const Options& options) {
           return has_beams(options) || (may_sample(options) && options.transcribe.best_of > 1);
         }},
    Need{"--compression-ratio-threshold", "a --temperature-increment-on-fallback", has_second_try},
    Need{"--carry-initial-prompt", "--initial-prompt",
         [](const Options& options) { return !options.transcribe.initial_prompt.empty(); }},
    Need{"--language-detection-threshold", "no --language beside it", detects_language},
    Need{"--language-detection-segments", "no --language beside it", detects_language},
};

bool is_default(const CLI::Option& option) {
  const std::string& given = option.results().back();
  const std::string normal = option.get_default_str();
  if (given == "None" || CLI::detail::to_lower(given) == CLI::detail::to_lower(normal)) return true;
  double number = 0;
  double normal_number = 0;
  return CLI::detail::lexical_cast(given, number) &&
         CLI::detail::lexical_cast(normal, normal_number) && number == normal_number;
}

// Whether it is one of the command's, and is given with another value than its own.
bool is_asked(const CLI::App& command, std::string_view name) {
  const CLI::Option* const option = command.get_option_no_throw(std::string(name));
  return option != nullptr && option->count() > 0 && !is_default(*option);
}

// Whether an option that needs this is among those.
bool asks_for(const CLI::App& command, std::string_view what) {
  return std::ranges::any_of(kNeeds, [&](const Need& need) {
    return need.what == what && is_asked(command, need.option);
  });
}

}  // namespace

void turn_on_words(const CLI::App& command, Options& options) {
  const CLI::Option* const words = command.get_option_no_throw("--word-timestamps");
  if (words == nullptr || words->count() > 0) return;
  if (asks_for(command, kWords)) options.transcribe.word_timestamps = true;
}

bool asks_for_vad(const CLI::App& command) { return asks_for(command, kVad); }

void check_needs(const CLI::App& command, const Options& options) {
  for (const Need& need : kNeeds) {
    if (!is_asked(command, need.option) || need.is_met(options)) continue;
    throw UsageError(std::string(need.option) + " has no effect: it needs " +
                     std::string(need.what));
  }
}

}  // namespace wnpu::app
