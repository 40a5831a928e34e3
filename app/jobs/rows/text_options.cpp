#include "app/jobs/rows/text_options.h"

#include <nlohmann/json.hpp>

#include "app/system/build_info.h"
#include "app/system/sha256.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;

template <typename T>
ordered_json value_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

// Each field is named here, so that a new one does not compile before it is in the object.
ordered_json option_json(const VadOptions& options) {
  const auto& [enabled, weights, threshold, neg_threshold, min_speech, max_speech, min_silence,
               pad] = options;
  if (!enabled) return nullptr;
  ordered_json fields = {{"weights_sha256", sha256_of_file(weights)},
                         {"threshold", threshold},
                         {"neg_threshold", value_or_null(neg_threshold)},
                         {"min_speech_duration_ms", min_speech},
                         {"min_silence_duration_ms", value_or_null(min_silence)},
                         {"speech_pad_ms", pad}};
  if (max_speech)
    fields["max_speech_duration_s"] = *max_speech;  // rows of earlier builds are the same
  return fields;
}

ordered_json option_json(const TranscribeOptions& options) {
  const auto& [task, language, beam_size, best_of, patience, length_penalty, repetition_penalty,
               no_repeat_ngram_size, seed, temperature, increment, temperatures, compression_ratio,
               logprob, no_speech, suppress_tokens, suppress_blank, max_initial_timestamp,
               without_timestamps, sample_len, initial_prompt, carry_initial_prompt, hotwords,
               prefix, condition_on_previous_text, batch_size, vad, channels, speakers,
               pool_padding, feature_bytes, detection_threshold, detection_segments, multilingual,
               word_timestamps, prepend, append, hallucination_silence, clips] = options;
  static_cast<void>(feature_bytes);  // changes no text
  static_cast<void>(multilingual);   // in text_options(), as are those two
  static_cast<void>(channels);
  static_cast<void>(speakers);
  return {{"task", task == Task::translate ? "translate" : "transcribe"},
          {"language", language},
          {"beam_size", beam_size},
          {"best_of", best_of},
          {"patience", patience},
          {"length_penalty", value_or_null(length_penalty)},
          {"repetition_penalty", repetition_penalty},
          {"no_repeat_ngram_size", no_repeat_ngram_size},
          {"seed", seed},
          {"temperature", temperature},
          {"temperature_increment_on_fallback", value_or_null(increment)},
          {"temperatures", temperatures},
          {"compression_ratio_threshold", value_or_null(compression_ratio)},
          {"logprob_threshold", value_or_null(logprob)},
          {"no_speech_threshold", value_or_null(no_speech)},
          {"suppress_tokens", suppress_tokens},
          {"suppress_blank", suppress_blank},
          {"max_initial_timestamp", value_or_null(max_initial_timestamp)},
          {"without_timestamps", without_timestamps},
          {"sample_len", sample_len},
          {"initial_prompt", initial_prompt},
          {"carry_initial_prompt", carry_initial_prompt},
          {"hotwords", hotwords},
          {"prefix", prefix},
          {"condition_on_previous_text", condition_on_previous_text},
          {"batch_size", batch_size},
          {"vad", option_json(vad)},
          {"pool_padding", pool_padding},
          {"language_detection_threshold", detection_threshold},
          {"language_detection_segments", detection_segments},
          {"word_timestamps", word_timestamps},
          {"prepend_punctuations", prepend},
          {"append_punctuations", append},
          {"hallucination_silence_threshold", value_or_null(hallucination_silence)},
          {"clip_timestamps", clips}};
}

// Neither a limit of memory nor the place of the overlay changes a text.
ordered_json option_json(const DeviceOptions& options) {
  const auto& [requested, cpu_precision, plan, precision, plan_file, preset, xclbin, memory_limit,
               falls_back, operators, npu_operator, split, cpu_window_ms, npu_window_ms, ort] =
      options;
  return {{"device", requested},
          {"precision", cpu_precision},
          {"npu_plan", plan},
          {"npu_precision", precision},
          {"npu_plan_file", plan_file.empty() ? "" : sha256_of_file(plan_file)},
          {"npu_preset", preset},
          {"fallback", falls_back},
          {"operators", operators},
          {"npu_operator", npu_operator},
          {"split", split},
          {"cpu_window_ms", cpu_window_ms},
          {"npu_window_ms", npu_window_ms},
          {"ort_options", ort.options},
          {"ort_weights", ort.weights}};
}

}  // namespace

std::string text_options(const Options& options) {
  const Audio& audio = options.each_audio;
  ordered_json fields = {{"version", kVersion},
                         {"transcribe", option_json(options.transcribe)},
                         {"device", option_json(options.device)},
                         {"gemm", options.gemm == kernels::Gemm::blas ? "blas" : "own"},
                         {"audio_track", audio.track ? ordered_json(*audio.track) : ordered_json()},
                         {"container_times", audio.container_times}};
  // Rows of earlier builds are the same.
  if (options.transcribe.multilingual) fields["transcribe"]["multilingual"] = true;
  if (options.transcribe.channels == Channels::separate)
    fields["transcribe"]["channels"] = "separate";
  const SpeakerOptions& speakers = options.transcribe.speakers;
  if (speakers.enabled) fields["transcribe"]["speakers"] = {speakers.min, speakers.max};
  if (!speakers.names.empty()) fields["transcribe"]["speaker_names"] = speakers.names;
  return fields.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string options_sha256(const Options& options) { return Sha256()(text_options(options)); }

}  // namespace wnpu::app
