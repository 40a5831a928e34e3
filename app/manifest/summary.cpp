#include "app/manifest/summary.h"

#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "app/formats/json_parts.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;

std::string decimal(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
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
  if (!text) return;
  ++n_compared;
  const auto heard = fields.at("pred_text").get<std::string>();
  words += count_word_errors(plain_words(*text), plain_words(heard));
}

std::string summary_json(const Summary& summary) {
  ordered_json object = {{"schema_version", 1},
                         {"rows", summary.n_ok + summary.n_failed},
                         {"ok", summary.n_ok},
                         {"failed", summary.n_failed},
                         {"earlier", summary.n_earlier},
                         {"audio_seconds", audio_time(summary.audio_s)},
                         {"wall_seconds", wall_time(summary.wall_s)},
                         {"wer", nullptr}};
  if (summary.n_compared > 0) {
    object["wer"] = {{"rows", summary.n_compared},
                     {"errors", summary.words.errors()},
                     {"substitutions", summary.words.substitutions},
                     {"deletions", summary.words.deletions},
                     {"insertions", summary.words.insertions},
                     {"words", summary.words.reference},
                     {"rate", summary.words.rate()}};
  }
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
  if (summary.n_compared == 0) return text;
  text += "; word errors: " + std::to_string(summary.words.errors()) + " of " +
          std::to_string(summary.words.reference);
  const double percent = 100 * summary.words.rate();
  return text + decimal(" (%.2f %%)", percent);
}

}  // namespace wnpu::app
