#include "app/engine/c/options.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/c/status.h"
#include "app/engine/option_check.h"

namespace wnpu::c {
namespace {

constexpr std::size_t kFieldBytes = 8;  // of every field, so that a struct may end behind any
static_assert(sizeof(void*) == kFieldBytes && sizeof(std::size_t) == kFieldBytes);
static_assert(sizeof(whisper_npu_model_options) == 21 * kFieldBytes);
static_assert(sizeof(whisper_npu_audio) == 9 * kFieldBytes);
static_assert(sizeof(whisper_npu_transcribe_options) == 50 * kFieldBytes);
static_assert(sizeof(whisper_npu_callbacks) == 5 * kFieldBytes);

// Longer structs than any version will have: their size was not set.
constexpr std::size_t kMostBytes = 4096;
// Largest length accepted for a list: more than any vocabulary or audio has.
constexpr std::uint64_t kMostValues = 1U << 20U;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::usage, what); }

// Apart, or GCC 12 takes the text for longer than its string (array-bounds).
[[noreturn, gnu::noinline]] void refuse_count(const char* name, std::uint64_t n) {
  refuse(std::string(name) + ": expected what memory can hold, found " + std::to_string(n));
}

void check_size(const char* name, std::size_t size) {
  if (size >= kFieldBytes && size <= kMostBytes && size % kFieldBytes == 0) return;
  refuse(std::string(name) + ": size: expected sizeof of the struct, found " +
         std::to_string(size));
}

template <typename C>
void fill(C* given, C defaults, std::size_t size, const char* name) {
  expect(given, name);
  check_size(name, size);
  defaults.size = size;
  auto* bytes = reinterpret_cast<unsigned char*>(given);
  const std::size_t known = std::min(size, sizeof(C));
  std::memcpy(bytes, &defaults, known);
  std::fill(bytes + known, bytes + size, static_cast<unsigned char>(0));
}

template <typename C>
C completed(const C* given, C defaults, const char* name) {
  if (given == nullptr) return defaults;
  check_size(name, given->size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  const std::size_t known = std::min(given->size, sizeof(C));
  std::memcpy(&defaults, bytes, known);
  if (std::any_of(bytes + known, bytes + given->size, [](unsigned char b) { return b != 0; })) {
    refuse(std::string(name) + ": a field is set that came after this version of the library");
  }
  return defaults;
}

using SpeakerNames = decltype(SpeakerOptions::names);

// A field of the engine's struct to C's, whose strings and lists it keeps.
struct ToC {
  void operator()(const char*& c, const std::string& field) const { c = field.c_str(); }
  void operator()(double& c, double field) const { c = field; }
  void operator()(double& c, const std::optional<double>& field) const {
    c = field.value_or(std::numeric_limits<double>::quiet_NaN());
  }
  void operator()(std::uint64_t& c, std::unsigned_integral auto field) const { c = field; }
  // 0: none.
  void operator()(std::uint64_t& c, const std::optional<std::uint64_t>& field) const {
    c = field.value_or(0);
  }
  // First path of the list; "" if the list is empty.
  void operator()(const char*& c, const std::vector<std::string>& field) const {
    c = field.empty() ? "" : field.front().c_str();
  }
  // No engine's default has names.
  void operator()(const char*& c, const SpeakerNames&) const { c = ""; }
  void operator()(std::int64_t& c, bool field) const { c = field ? 1 : 0; }
  void operator()(std::int64_t& c, Task field) const { c = static_cast<std::int64_t>(field); }
  void operator()(std::int64_t& c, Channels field) const { c = static_cast<std::int64_t>(field); }
  template <typename T>
  void operator()(const T*& c, std::uint64_t& n, const std::vector<T>& field) const {
    c = field.data();
    n = field.size();
  }
};

// And back.
struct FromC {
  void operator()(const char* c, std::string& field) const { field = c == nullptr ? "" : c; }
  void operator()(double c, double& field) const { field = c; }
  void operator()(double c, std::optional<double>& field) const {
    field.reset();
    if (!std::isnan(c)) field = c;
  }
  template <std::unsigned_integral T>
  void operator()(std::uint64_t c, T& field) const {
    field = static_cast<T>(std::min<std::uint64_t>(c, std::numeric_limits<T>::max()));
  }
  void operator()(std::uint64_t c, std::optional<std::uint64_t>& field) const {
    field.reset();
    if (c != 0) field = c;
  }
  void operator()(const char* c, std::vector<std::string>& field) const {
    field.clear();
    if (c != nullptr && *c != '\0') field.emplace_back(c);
  }
  void operator()(const char* c, SpeakerNames& field) const {
    field = app::speaker_names_of(c == nullptr ? "" : c);
  }
  void operator()(std::int64_t c, bool& field) const { field = c != 0; }
  void operator()(std::int64_t c, Task& field) const {
    if (c != WHISPER_NPU_TRANSCRIBE && c != WHISPER_NPU_TRANSLATE) {
      throw Error("task", ": expected WHISPER_NPU_TRANSCRIBE or WHISPER_NPU_TRANSLATE, found " +
                              std::to_string(c));
    }
    field = static_cast<Task>(c);
  }
  void operator()(std::int64_t c, Channels& field) const {
    if (c != WHISPER_NPU_CHANNELS_MIX && c != WHISPER_NPU_CHANNELS_SEPARATE) {
      throw Error("channels",
                  ": expected WHISPER_NPU_CHANNELS_MIX or WHISPER_NPU_CHANNELS_SEPARATE, found " +
                      std::to_string(c));
    }
    field = static_cast<Channels>(c);
  }
  template <typename T>
  void operator()(const T* c, std::uint64_t n, std::vector<T>& field) const {
    if (n > kMostValues || (c == nullptr && n > 0)) {
      refuse("a list: expected up to " + std::to_string(kMostValues) + " values, found " +
             std::to_string(n) + (c == nullptr ? " at NULL" : ""));
    }
    field.clear();
    if (n > 0) field.assign(c, c + n);
  }
};

// f(field in C, field of the engine) for every one.
template <typename F>
void for_each_field(auto& c, auto& options, const F& f) requires requires {
  options.device;
}
{
  f(c.folder, options.folder);
  f(c.device, options.device.requested);
  f(c.cpu_precision, options.device.cpu_precision);
  f(c.npu_plan, options.device.plan);
  f(c.npu_precision, options.device.precision);
  f(c.npu_preset, options.device.preset);
  f(c.npu_xclbin, options.device.xclbin);
  f(c.falls_back, options.device.falls_back);
  f(c.threads, options.threads);
  f(c.npu_plan_file, options.device.plan_file);
  f(c.npu_operator, options.device.npu_operator);
  f(c.npu_operator_path, options.device.operators);
  f(c.memory_limit, options.device.memory_limit);
  f(c.device_split, options.device.split);
  f(c.cpu_window_ms, options.device.cpu_window_ms);
  f(c.npu_window_ms, options.device.npu_window_ms);
  f(c.ort_library, options.device.ort.library);
  f(c.ort_plugin, options.device.ort.plugins);
  f(c.ort_option, options.device.ort.options);
  f(c.ort_weights, options.device.ort.weights);
}

template <typename F>
void for_each_field(auto& c, auto& options, const F& f) requires requires {
  options.task;
}
{
  f(c.task, options.task);
  f(c.language, options.language);
  f(c.beam_size, options.beam_size);
  f(c.best_of, options.best_of);
  f(c.patience, options.patience);
  f(c.length_penalty, options.length_penalty);
  f(c.repetition_penalty, options.repetition_penalty);
  f(c.no_repeat_ngram_size, options.no_repeat_ngram_size);
  f(c.seed, options.seed);
  f(c.temperature, options.temperature);
  f(c.temperature_increment_on_fallback, options.temperature_increment_on_fallback);
  f(c.compression_ratio_threshold, options.compression_ratio_threshold);
  f(c.logprob_threshold, options.logprob_threshold);
  f(c.no_speech_threshold, options.no_speech_threshold);
  f(c.suppress_tokens, c.n_suppress_tokens, options.suppress_tokens);
  f(c.suppress_blank, options.suppress_blank);
  f(c.max_initial_timestamp, options.max_initial_timestamp);
  f(c.without_timestamps, options.without_timestamps);
  f(c.sample_len, options.sample_len);
  f(c.initial_prompt, options.initial_prompt);
  f(c.carry_initial_prompt, options.carry_initial_prompt);
  f(c.hotwords, options.hotwords);
  f(c.prefix, options.prefix);
  f(c.condition_on_previous_text, options.condition_on_previous_text);
  f(c.batch_size, options.batch_size);
  f(c.vad_enabled, options.vad.enabled);
  f(c.vad_weights, options.vad.weights);
  f(c.vad_threshold, options.vad.threshold);
  f(c.vad_neg_threshold, options.vad.neg_threshold);
  f(c.vad_min_speech_duration_ms, options.vad.min_speech_duration_ms);
  f(c.vad_min_silence_duration_ms, options.vad.min_silence_duration_ms);
  f(c.vad_speech_pad_ms, options.vad.speech_pad_ms);
  f(c.language_detection_threshold, options.language_detection_threshold);
  f(c.language_detection_segments, options.language_detection_segments);
  f(c.word_timestamps, options.word_timestamps);
  f(c.prepend_punctuations, options.prepend_punctuations);
  f(c.append_punctuations, options.append_punctuations);
  f(c.hallucination_silence_threshold, options.hallucination_silence_threshold);
  f(c.clip_timestamps, c.n_clip_timestamps, options.clip_timestamps);
  f(c.pool_padding, options.pool_padding);
  f(c.multilingual, options.multilingual);
  f(c.channels, options.channels);
  f(c.speakers, options.speakers.enabled);
  f(c.speakers_min, options.speakers.min);
  f(c.speakers_max, options.speakers.max);
  f(c.speakers_weights, options.speakers.weights);
  f(c.speaker_names, options.speakers.names);
}

// The defaults of the engine's struct, in C.
template <typename C, typename Options>
C defaults() {
  static const Options kOptions;  // the strings and lists that C's fields point to
  C c{};
  c.size = sizeof c;
  for_each_field(c, kOptions, ToC());
  return c;
}

template <typename Options, typename C>
Options converted(const C* given, const char* name) {
  const C c = completed(given, defaults<C, Options>(), name);
  Options options;
  for_each_field(c, options, FromC());
  return options;
}

whisper_npu_audio no_audio() {
  whisper_npu_audio audio{};
  audio.size = sizeof audio;
  audio.track = -1;
  audio.container_times = 1;
  return audio;
}

// Throws Error(usage) where they cannot all lie in memory.
template <typename T>
std::span<const T> span_of(const T* values, std::uint64_t n, const char* name) {
  if (n > 0) expect(values, name);
  if (n > PTRDIFF_MAX / sizeof(T)) refuse_count(name, n);
  return {values, n};
}

}  // namespace

void init(whisper_npu_model_options* options, std::size_t size) {
  fill(options, defaults<whisper_npu_model_options, ModelOptions>(), size, "model options");
}

void init(whisper_npu_audio* audio, std::size_t size) { fill(audio, no_audio(), size, "audio"); }

void init(whisper_npu_transcribe_options* options, std::size_t size) {
  fill(options, defaults<whisper_npu_transcribe_options, TranscribeOptions>(), size,
       "transcribe options");
}

void init(whisper_npu_callbacks* callbacks, std::size_t size) {
  fill(callbacks, whisper_npu_callbacks{}, size, "callbacks");
}

ModelOptions to_engine(const whisper_npu_model_options* options) {
  return converted<ModelOptions>(options, "model options");
}

TranscribeOptions to_engine(const whisper_npu_transcribe_options* options) {
  return converted<TranscribeOptions>(options, "transcribe options");
}

Audio to_engine(const whisper_npu_audio* given) {
  expect(given, "audio");
  const whisper_npu_audio c = completed(given, no_audio(), "audio");
  const auto bytes = span_of(static_cast<const std::byte*>(c.bytes), c.n_bytes, "audio: bytes");
  const auto samples = span_of(c.samples, c.n_samples, "audio: samples");
  const bool has_path = c.path != nullptr && *c.path != '\0';
  const int n_sources = int{has_path} + int{c.bytes != nullptr} + int{c.samples != nullptr};
  if (n_sources != 1) {
    refuse("audio: expected one of path, bytes and samples, found " + std::to_string(n_sources));
  }
  const std::string raw_format = c.raw_format == nullptr ? "" : c.raw_format;
  if (c.samples != nullptr && !raw_format.empty()) {
    refuse("audio: raw_format: expected none with samples, found " + raw_format);
  }
  if (c.track < -1) refuse("audio: track: expected -1 or more, found " + std::to_string(c.track));
  if (c.samples != nullptr) return Audio::from_samples(samples);
  Audio audio{.path = has_path ? c.path : "", .bytes = bytes, .raw_format = raw_format};
  if (c.track >= 0) audio.track = static_cast<std::size_t>(c.track);
  audio.container_times = c.container_times != 0;
  return audio;
}

whisper_npu_callbacks whole(const whisper_npu_callbacks* callbacks) {
  return completed(callbacks, whisper_npu_callbacks{}, "callbacks");
}

}  // namespace wnpu::c
