#include "app/formats/json_writer.h"

#include <algorithm>
#include <ostream>

#include <nlohmann/json.hpp>

#include "app/engine/windows/spoken_language.h"
#include "app/formats/json_parts.h"

namespace wnpu::app {
namespace {

using Json = nlohmann::ordered_json;

// Text that may be missing, as it was not asked for or is not known: null, never an empty string.
Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

// has_words: some segment has; openai-whisper then gives each a list, which may be empty.
Json segment_of(const Segment& segment, bool has_words) {
  Json json = segment_json(segment);
  if (has_words) json["words"] = words_json(segment);
  if (!segment.language.empty()) json["language"] = segment.language;
  if (!segment.speaker.empty()) json["speaker"] = segment.speaker;
  return json;
}

Json model_of(const ModelInfo& model) {
  return {{"name", model.name},
          {"path", model.path},
          {"format", text_or_null(model.format)},
          {"sha256", text_or_null(model.sha256)},
          {"quantization", text_or_null(model.quantization)}};
}

Json positive_or_null(double value) { return value > 0 ? Json(value) : Json(); }

Json operators_of(const NpuUse& use) {
  Json list = Json::array();
  for (const OperatorUse& op : use.operators) {
    list.push_back({{"replaces", op.replaces},
                    {"name", op.name},
                    {"source", op.source},
                    {"ran_on", op.ran_on},
                    {"reason", text_or_null(op.reason)}});
  }
  return list;
}

// Counts and times of a simulated device are the simulator's, and modelled_ms_per_layer is always
// a model's; hardware has neither a model nor byte counters, and without windows there are no
// layers.
Json npu_of(const NpuUse& use, bool simulated) {
  Json json = {
      {"description", use.description},
      {"plan", use.plan},
      {"precision", use.precision},
      {"windows", use.windows},
      {"launches", use.launches},
      {"submissions", use.submissions},
      {"preset", text_or_null(use.preset)},
      {"ddr_bytes", simulated ? Json(use.ddr_bytes) : Json()},
      {"memory_bytes", use.memory_bytes},
      {"memory_limit", use.memory_limit ? Json(*use.memory_limit) : Json()},
      {"modelled_ms_per_layer", simulated ? positive_or_null(use.modelled_ms_per_layer) : Json()}};
  if (!use.operators.empty()) json["operators"] = operators_of(use);
  return json;
}

Json ort_of(const OrtUse& use) {
  Json nodes = Json::array();
  for (const OrtNodes& part : use.nodes) {
    nodes.push_back(
        {{"provider", part.provider}, {"count", part.count}, {"operators", part.operators}});
  }
  return {{"version", use.version},
          {"weights", use.weights},
          {"compiled_before", use.was_compiled},
          {"nodes", nodes}};
}

Json stretch_of(const std::optional<Stretch>& stretch) {
  if (!stretch) return {};
  return {{"first", stretch->first}, {"count", stretch->count}};
}

Json devices_of(const DeviceInfo& device) {
  Json all = Json::array();
  for (const DeviceUse& use : device.devices) {
    all.push_back({{"name", use.name},
                   {"windows", use.windows},
                   {"failure", text_or_null(use.failure)},
                   {"threads", use.threads},
                   {"layers", stretch_of(use.layers)},
                   {"heads", stretch_of(use.heads)},
                   {"hidden", stretch_of(use.hidden)},
                   {"moved_bytes", use.moved_bytes},
                   {"exchanged_bytes", use.exchanged_bytes},
                   {"planned_ms", positive_or_null(use.planned_ms)},
                   {"window_s", use.window_s > 0 ? wall_time(use.window_s) : Json()}});
  }
  return all;
}

Json ways_of(const SplitUse& split) {
  Json all = Json::array();
  for (const SplitWay& way : split.ways) {
    const bool can_be = way.refusal.empty();
    all.push_back({{"split", way.name},
                   {"modelled_ms", can_be ? Json(way.modelled_ms) : Json()},
                   {"exchanged_bytes", can_be ? Json(way.exchanged_bytes) : Json()},
                   {"device_bytes", can_be ? Json(way.device_bytes) : Json()},
                   {"refusal", text_or_null(way.refusal)}});
  }
  return all;
}

Json split_of(const std::optional<SplitUse>& split) {
  if (!split) return {};
  return {{"requested", split->requested},
          {"used", split->used},
          {"planned", split->is_planned},
          {"reason", text_or_null(split->reason)},
          {"ways", ways_of(*split)}};
}

Json device_of(const DeviceInfo& device) {
  return {{"requested", device.requested},
          {"used", device.used},
          {"reason", text_or_null(device.reason)},
          {"simulated", device.simulated},
          {"npu", device.npu ? npu_of(*device.npu, device.simulated) : Json()},
          {"ort", device.ort ? ort_of(*device.ort) : Json()},
          {"devices", devices_of(device)},
          {"split", split_of(device.split)},
          {"fallback", text_or_null(device.fallback)},
          {"cpu_precision", text_or_null(device.cpu_precision)},
          {"kernels", text_or_null(device.kernels)},
          {"isa", text_or_null(device.isa)}};
}

// rtf: processing time / audio time. rtfx: audio time / processing time. Both without the load.
Json timing_of(const Timing& timing, double audio, bool simulated) {
  Json json = {{"simulated", simulated},
               {"load", wall_time(timing.load)},
               {"decode_audio", wall_time(timing.decode_audio)},
               {"mel", wall_time(timing.mel)},
               {"encode", wall_time(timing.encode)},
               {"decode", wall_time(timing.decode)},
               {"total", wall_time(timing.total)}};
  json["rtf"] = audio > 0 ? Json(timing.total / audio) : Json();
  json["rtfx"] = timing.total > 0 ? Json(audio / timing.total) : Json();
  return json;
}

Json input_json(const InputInfo& input) {
  return {{"path", input.path},
          {"sha256", text_or_null(input.sha256)},
          {"format", text_or_null(input.format)},
          {"channels", input.channels},
          {"sample_rate", input.sample_rate},
          {"duration", input.duration}};
}

Json choices_of(const Choices& choices) {
  Json options = Json::array();
  for (const Chosen& each : choices.options) {
    options.push_back({{"option", each.option}, {"value", each.value}, {"reason", each.reason}});
  }
  const bool is_limited = choices.memory_limit.has_value();
  return {{"optimize_for", text_or_null(choices.optimize_for)},
          {"memory_limit", is_limited ? Json(*choices.memory_limit) : Json()},
          {"memory_estimate", is_limited ? Json(choices.memory_estimate) : Json()},
          {"options", options}};
}

Json extra_speech_of(const Transcript& transcript) {
  Json all = Json::array();
  for (const ExtraSpeech& each : transcript.extra_speech) {
    all.push_back(
        {{"start", audio_time(each.start)}, {"end", audio_time(each.end)}, {"text", each.text}});
  }
  return all;
}

Json document_of(const Transcript& transcript) {
  Json probabilities = Json::object();
  for (const auto& [code, probability] : transcript.language_probs) {
    probabilities[code] = probability;
  }
  std::string text;
  Json segments = Json::array();
  Json words = Json::array();
  const bool has_words = std::ranges::any_of(
      transcript.segments, [](const Segment& segment) { return !segment.words.empty(); });
  for (const Segment& segment : transcript.segments) {
    text += segment.text;
    segments.push_back(segment_of(segment, has_words));
    for (Json& word : words_json(segment)) words.push_back(std::move(word));
  }
  return {{"schema_version", kSchemaVersion},
          {"task", transcript.task},
          {"language", text_or_null(transcript.language)},
          {"language_name", text_or_null(std::string(language_name(transcript.language)))},
          {"language_probabilities", probabilities},
          {"duration", transcript.input.duration},
          {"text", text},
          {"segments", segments},
          {"words", words},
          {"model", model_of(transcript.model)},
          {"device", device_of(transcript.device)},
          {"timing",
           timing_of(transcript.timing, transcript.input.duration, transcript.device.simulated)},
          {"input", input_json(transcript.input)},
          {"warnings", transcript.warnings},
          {"truncated", transcript.truncated}};
}

}  // namespace

void write_json(const Transcript& transcript, JsonLayout layout, const Choices& choices,
                std::ostream& out) {
  const int indent = layout == JsonLayout::indented ? 2 : -1;
  // dump() writes non-finite numbers as null.
  Json document = document_of(transcript);
  if (transcript.speakers) document["speakers"] = speakers_json(*transcript.speakers);
  if (transcript.is_aligned) document["extra_speech"] = extra_speech_of(transcript);
  if (choices.is_asked_for()) document["choices"] = choices_of(choices);
  out << document.dump(indent) << '\n';
}

}  // namespace wnpu::app
