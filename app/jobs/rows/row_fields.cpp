#include "app/jobs/rows/row_fields.h"

#include <algorithm>
#include <array>
#include <set>

#include "app/formats/json_parts.h"
#include "app/options/exit_code.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;

// Names that are a result's alone. A manifest that has been a result loses them.
constexpr std::array<std::string_view, 11> kResultNames = {
    "status", "pred_text", "language", "segments",     "words",         "audio_duration",
    "error",  "attempts",  "seconds",  "model_sha256", "options_sha256"};

std::string_view code_name(int exit_code) {
  switch (exit_code) {
    case static_cast<int>(ExitCode::usage):
      return "usage";
    case static_cast<int>(ExitCode::audio):
      return "audio";
    case static_cast<int>(ExitCode::resources):
      return kResourcesCode;
    case static_cast<int>(ExitCode::library):
      return "library";
    case static_cast<int>(ExitCode::network):
      return "network";
    default:
      return "internal";
  }
}

std::string trimmed_text(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

ordered_json segment_fields(const Segment& segment) {
  ordered_json fields = {{"id", segment.id},
                         {"start", audio_time(segment.start)},
                         {"end", audio_time(segment.end)},
                         {"text", segment.text},
                         {"avg_logprob", segment.avg_logprob},
                         {"no_speech_prob", segment.no_speech_prob},
                         {"compression_ratio", segment.compression_ratio},
                         {"temperature", segment.temperature}};
  if (!segment.language.empty()) fields["language"] = segment.language;
  if (!segment.speaker.empty()) fields["speaker"] = segment.speaker;
  return fields;
}

}  // namespace

ordered_json fields_of(const Transcript& transcript, bool with_words) {
  std::string text;
  ordered_json segments = ordered_json::array();
  ordered_json words = ordered_json::array();
  for (const Segment& segment : transcript.segments) {
    text += segment.text;
    segments.push_back(segment_fields(segment));
    for (ordered_json& word : words_json(segment)) words.push_back(std::move(word));
  }
  ordered_json fields = {{"status", "ok"},
                         {"pred_text", trimmed_text(text)},
                         {"language", transcript.language},
                         {"segments", std::move(segments)}};
  if (with_words) fields["words"] = std::move(words);
  if (transcript.speakers) fields["speakers"] = speakers_json(*transcript.speakers);
  fields["audio_duration"] = audio_time(transcript.input.duration);
  return fields;
}

ordered_json fields_of(const std::exception& failure) {
  const int exit_code = exit_code_of(failure);
  return failure_fields(code_name(exit_code), exit_code, text_of(failure));
}

ordered_json failure_fields(std::string_view code, int exit_code, const std::string& message) {
  return {{"status", "failed"},
          {"error", {{"code", code}, {"exit_code", exit_code}, {"message", message}}}};
}

std::string result_line(const Row& row, const ordered_json& fields) {
  std::string line = "{";
  std::set<std::string_view> written;  // a bad row may have a name twice
  for (const Column& column : row.columns) {
    const bool is_replaced = std::ranges::find(kResultNames, column.name) != kResultNames.end() ||
                             (column.name == "id" && !row.has_own_id) ||
                             fields.contains(column.name);
    if (!is_replaced && written.insert(column.name).second) line += column.text + ",";
  }
  if (!row.has_own_id) line += "\"id\":" + row.id + ",";
  const auto replaced = ordered_json::error_handler_t::replace;
  return line + fields.dump(-1, ' ', false, replaced).substr(1) + "\n";
}

}  // namespace wnpu::app
