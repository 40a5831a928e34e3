#include "app/jobs/manifest/summary.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "app/formats/json_parts.h"
#include "app/formats/text_table.h"
#include "models/text/vocabulary.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;

std::string without_word_gaps(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Null where no row was compared.
ordered_json rate_json(std::size_t n_rows, const ErrorCounts& counts, const char* units) {
  if (n_rows == 0) return nullptr;
  return {{"rows", n_rows},
          {"errors", counts.errors()},
          {"substitutions", counts.substitutions},
          {"deletions", counts.deletions},
          {"insertions", counts.insertions},
          {units, counts.reference},
          {"rate", counts.rate()}};
}

std::string rate_text(const char* unit, std::size_t n_rows, const ErrorCounts& counts) {
  if (n_rows == 0) return "";
  return std::string("; ") + unit + " errors: " + std::to_string(counts.errors()) + " of " +
         std::to_string(counts.reference) + decimal(" (%.2f %%)", 100 * counts.rate());
}

}  // namespace

void Summary::add(const ordered_json& fields, const std::optional<std::string>& text) {
  if (fields.at("status") != "ok") {
    ++n_failed;
    return;
  }
  ++n_ok;
  const ordered_json& seconds = fields.at("audio_duration");
  if (seconds.is_number()) audio_s += seconds.get<double>();
  const std::string reference = plain_words(text.value_or(""));
  if (reference.empty()) return;
  const std::string heard = plain_words(fields.at("pred_text").get<std::string>());
  const bool is_ascii =
      std::ranges::all_of(reference, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!is_ascii && models::is_unspaced(fields.at("language").get<std::string>())) {
    ++n_compared_by_character;
    characters += count_character_errors(without_word_gaps(reference), without_word_gaps(heard));
  } else {
    ++n_compared;
    words += count_word_errors(reference, heard);
  }
}

std::string summary_json(const Summary& summary) {
  ordered_json object = {
      {"schema_version", 1},
      {"rows", summary.n_ok + summary.n_failed},
      {"ok", summary.n_ok},
      {"failed", summary.n_failed},
      {"earlier", summary.n_earlier},
      {"audio_seconds", audio_time(summary.audio_s)},
      {"wall_seconds", wall_time(summary.wall_s)},
      {"wer", rate_json(summary.n_compared, summary.words, "words")},
      {"cer", rate_json(summary.n_compared_by_character, summary.characters, "characters")}};
  constexpr int kIndent = 2;
  return object.dump(kIndent) + "\n";
}

std::string summary_text(const Summary& summary) {
  std::string text = std::to_string(summary.n_ok + summary.n_failed) + " rows";
  if (summary.n_earlier > 0) {
    text += " (" + std::to_string(summary.n_earlier) + " of them by earlier runs)";
  }
  text += ", " + std::to_string(summary.n_failed) + " failed; ";
  text += decimal("%.2f s of audio", summary.audio_s) + decimal(" in %.2f s", summary.wall_s);
  return text + rate_text("word", summary.n_compared, summary.words) +
         rate_text("character", summary.n_compared_by_character, summary.characters);
}

}  // namespace wnpu::app
