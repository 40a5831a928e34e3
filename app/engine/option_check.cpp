#include "app/engine/option_check.h"

#include <optional>
#include <sstream>
#include <string>

namespace wnpu::app {
namespace {

using ranges::Integers;
using ranges::Numbers;

template <typename Number>
std::string value_text(Number number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

}  // namespace

void check_number(std::string_view option, double value, const Numbers& range) {
  if (range.contains(value)) return;
  throw Error(option, ": expected a number from " + value_text(range.first) + " to " +
                          value_text(range.last) + ", found " + value_text(value));
}

namespace {

void check_number(std::string_view option, const std::optional<double>& value,
                  const Numbers& range) {
  if (value) check_number(option, *value, range);
}

void check_integer(std::string_view option, std::uint64_t value, const Integers& range) {
  if (range.contains(value)) return;
  throw Error(option, ": expected a whole number from " + value_text(range.first) + " to " +
                          value_text(range.last) + ", found " + value_text(value));
}

void check_search(const TranscribeOptions& options) {
  check_integer("beam_size", options.beam_size, ranges::kAtOnce);
  check_integer("best_of", options.best_of, ranges::kAtOnce);
  check_number("patience", options.patience, ranges::kPatience);
  check_number("length_penalty", options.length_penalty, ranges::kAnyNumber);
  check_number("repetition_penalty", options.repetition_penalty, ranges::kRepetitionPenalty);
  check_integer("no_repeat_ngram_size", options.no_repeat_ngram_size, ranges::kTokens);
  check_number("temperature", options.temperature, ranges::kTemperature);
  check_number("temperature_increment_on_fallback", options.temperature_increment_on_fallback,
               ranges::kTemperatureIncrement);
  for (const double temperature : options.temperatures) {
    check_number("temperatures", temperature, ranges::kTemperature);
  }
  check_number("compression_ratio_threshold", options.compression_ratio_threshold,
               ranges::kAnyNumber);
  check_number("logprob_threshold", options.logprob_threshold, ranges::kAnyNumber);
  check_number("no_speech_threshold", options.no_speech_threshold, ranges::kAnyNumber);
  check_number("max_initial_timestamp", options.max_initial_timestamp, ranges::kSecondsOfWindow);
  check_integer("sample_len", options.sample_len, ranges::kTokens);
}

void check_vad(const VadOptions& vad) {
  check_number("vad.threshold", vad.threshold, ranges::kProbability);
  check_number("vad.neg_threshold", vad.neg_threshold, ranges::kAnyNumber);
  check_number("vad.min_speech_duration_ms", vad.min_speech_duration_ms, ranges::kMilliseconds);
  check_number("vad.max_speech_duration_s", vad.max_speech_duration_s, ranges::kSecondsOfSpeech);
  check_number("vad.min_silence_duration_ms", vad.min_silence_duration_ms, ranges::kMilliseconds);
  check_number("vad.speech_pad_ms", vad.speech_pad_ms, ranges::kMilliseconds);
}

void check_clips(const TranscribeOptions& options) {
  double before = 0;
  for (const double seconds : options.clip_timestamps) {
    check_number("clip_timestamps", seconds, ranges::kSecondsOfAudio);
    if (seconds < before) {
      throw Error("clip_timestamps", ": expected growing seconds, found " + value_text(seconds) +
                                         " after " + value_text(before));
    }
    before = seconds;
  }
  if (options.vad.enabled && has_clips(options)) {
    throw Error("clip_timestamps", " and vad.enabled exclude each other");
  }
  if (options.batch_size > 1 && !options.vad.enabled && !has_clips(options)) {
    throw Error("batch_size",
                " above 1 needs vad.enabled or clip_timestamps: it decodes stretches "
                "of the audio side by side");
  }
}

}  // namespace

bool has_clips(const TranscribeOptions& options) {
  const auto& clips = options.clip_timestamps;
  return !clips.empty() && clips != std::vector<double>{0};
}

void check_options(const TranscribeOptions& options) {
  if (options.task != Task::transcribe && options.task != Task::translate) {
    throw Error("task", ": expected transcribe or translate, found number " +
                            value_text(static_cast<int>(options.task)));
  }
  check_search(options);
  check_integer("batch_size", options.batch_size, ranges::kAtOnce);
  check_integer("feature_bytes", options.feature_bytes, ranges::kFeatureBytes);
  check_vad(options.vad);
  check_number("language_detection_threshold", options.language_detection_threshold,
               ranges::kProbability);
  check_integer("language_detection_segments", options.language_detection_segments,
                ranges::kAtOnce);
  check_number("hallucination_silence_threshold", options.hallucination_silence_threshold,
               ranges::kAnyNumber);
  check_clips(options);
}

void check_audio(const Audio& audio) {
  if (!audio.path.empty() && !audio.bytes.empty()) {
    throw Error("audio", ": expected a path or bytes, found both");
  }
  check_number("audio.start_s", audio.start_s, ranges::kSecondsOfAudio);
  check_number("audio.duration_s", audio.duration_s, ranges::kSecondsOfAudio);
  check_number("audio.max_duration_s", audio.max_duration_s, ranges::kMaxDuration);
}

void check_together(std::size_t n_together, const TranscribeOptions& options) {
  check_integer("n_together", n_together, ranges::kAtOnce);
  if (options.batch_size == 1) return;
  throw Error("batch_size", ": expected 1 for recordings that are transcribed together, found " +
                                std::to_string(options.batch_size));
}

}  // namespace wnpu::app
