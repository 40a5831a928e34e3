#include "app/engine/option_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kLongestName = 100;  // of a speaker, bytes

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

bool is_channel_name(const std::string& key) { return key == "left" || key == "right"; }

// A number as Transcript::speakers counts them, from 1 on.
bool is_speaker_number(const std::string& key) {
  if (key.empty() || key.size() > 2 || key.front() == '0') return false;
  const bool is_number = std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
  return is_number && ranges::kSpeakers.contains(static_cast<std::uint64_t>(std::stoi(key)));
}

void check_name(const std::string& key, const std::string& name, bool has_channels) {
  constexpr std::string_view kNames = "speakers.names";
  if (!is_speaker_number(key) && !(has_channels && is_channel_name(key))) {
    throw Error(kNames, std::string(": expected a number from 1 to 20") +
                            (has_channels ? ", left or right" : "") + ", found " + key);
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; };
  if (name.empty() || name.size() > kLongestName || std::ranges::any_of(name, is_control) ||
      models::repair_utf8(name) != name) {
    throw Error(kNames, ": expected a name of 1 to " + std::to_string(kLongestName) +
                            " bytes of UTF-8 without control characters for " + key);
  }
}

void check_speakers(const TranscribeOptions& options) {
  const SpeakerOptions& speakers = options.speakers;
  const bool has_channels = options.channels == Channels::separate;
  if (options.channels != Channels::mix && !has_channels) {
    throw Error("channels", ": expected mix or separate, found number " +
                                value_text(static_cast<int>(options.channels)));
  }
  check_integer("speakers.min", speakers.min, ranges::kSpeakers);
  check_integer("speakers.max", speakers.max, ranges::kSpeakers);
  if (speakers.min > speakers.max) {
    throw Error("speakers.min", ": expected at most speakers.max, " + value_text(speakers.max) +
                                    ", found " + value_text(speakers.min));
  }
  if (has_channels && speakers.enabled) {
    throw Error("speakers.enabled",
                " and separate channels exclude each other: each channel is a "
                "speaker");
  }
  if (!speakers.names.empty() && !has_channels && !speakers.enabled)
    throw Error("speakers.names", " needs speakers.enabled or separate channels");
  std::set<std::string> keys;
  std::set<std::string> names;
  for (const auto& [key, name] : speakers.names) {
    check_name(key, name, has_channels);
    const std::string number = key == "left" ? "1" : key == "right" ? "2" : key;
    if (!keys.insert(number).second) throw Error("speakers.names", ": found two names for " + key);
    if (!names.insert(name).second) throw Error("speakers.names", ": found " + name + " twice");
  }
}

}  // namespace

bool has_clips(const TranscribeOptions& options) {
  const auto& clips = options.clip_timestamps;
  return !clips.empty() && clips != std::vector<double>{0};
}

std::vector<std::pair<std::string, std::string>> speaker_names_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string each = text.substr(at, end - at);
    const std::size_t sign = each.find('=');
    if (sign == std::string::npos) {
      throw Error("speakers.names",
                  ": expected left=NAME,right=NAME or 1=NAME,2=NAME, found " + text);
    }
    names.emplace_back(each.substr(0, sign), each.substr(sign + 1));
    at = end + 1;
  }
  return names;
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
  check_speakers(options);
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

void check_service(const ServiceOptions& options) {
  check_integer("n_together", options.n_together, ranges::kAtOnce);
  check_integer("n_readers", options.n_readers, ranges::kAtOnce);
}

}  // namespace wnpu::app
