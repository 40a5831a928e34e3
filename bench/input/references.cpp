#include "bench/input/references.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/options/exit_code.h"
#include "bench/core/text_table.h"
#include "models/text/vocabulary.h"

namespace wnpu::bench {

namespace fs = std::filesystem;

References::References(const fs::path& manifest, std::vector<std::string> normalizer)
    : normalizer_(std::move(normalizer)) {
  if (manifest.empty()) return;
  folder_ = manifest.parent_path();
  try {
    entries_ = read_manifest(manifest);
  } catch (const std::runtime_error& error) {
    throw app::UsageError(std::string("--references ") + error.what());
  }
  std::erase_if(entries_, [](const ManifestEntry& entry) { return !entry.reference; });
}

std::vector<std::string> References::files(const std::string& language) const {
  std::vector<std::string> files;
  for (const ManifestEntry& entry : entries_) {
    const bool is_wanted = language.empty() || entry.language == language;
    if (is_wanted) files.push_back((folder_ / entry.file).string());
  }
  return files;
}

const ManifestEntry* References::find(const std::string& file) const {
  std::error_code error;  // a file that may not be looked at is nowhere
  const fs::path wanted = fs::weakly_canonical(file, error);
  for (const ManifestEntry& entry : entries_) {
    if (fs::weakly_canonical(folder_ / entry.file, error) == wanted) return &entry;
  }
  const auto has_name = [&wanted](const ManifestEntry& entry) {
    return fs::path(entry.file).filename() == wanted.filename();
  };
  const auto found = std::ranges::find_if(entries_, has_name);
  const bool is_only = std::ranges::count_if(entries_, has_name) == 1;
  return is_only ? &*found : nullptr;
}

Scores References::score(std::vector<Heard>& heard) const {
  Scores scores;
  if (is_empty()) return scores;
  TextNormalizer normalize(normalizer_.empty() ? normalizer_command() : normalizer_);
  for (Heard& one : heard) {
    const ManifestEntry* entry = find(one.file);
    if (entry == nullptr) continue;
    const std::string reference = normalize(*entry->reference, entry->language);
    const std::string text = normalize(one.text, entry->language);
    scores.characters.push_back(count_character_errors(reference, text));
    one.cer = scores.characters.back().rate();
    if (models::is_unspaced(entry->language)) continue;
    scores.words.push_back(count_word_errors(reference, text));
    one.wer = scores.words.back().rate();
  }
  return scores;
}

Scores add_heard(std::vector<Heard> heard, const References& references, Results& results) {
  Scores scores;
  try {
    scores = references.score(heard);
  } catch (const std::runtime_error& error) {
    const std::string note =
        std::string("error rates are left out: ") + error.what() +
        "; share/whisper-npu/peers.sh makes the environment of their normaliser";
    if (std::ranges::find(results.notes, note) == results.notes.end()) {
      results.notes.push_back(note);
    }
    results.exit_code = static_cast<int>(app::ExitCode::some_failed);
  }
  std::ranges::move(heard, std::back_inserter(results.heard));
  return scores;
}

std::vector<Figure> error_rates(const Scores& scores) {
  if (scores.characters.empty()) return {};
  const auto rate = [](const std::string& name, const std::vector<ErrorCounts>& counts) {
    const Interval interval = bootstrap_interval(counts);
    const std::string note = "95 % interval " + percent(interval.low) + " to " +
                             percent(interval.high) + ", " + std::to_string(counts.size()) +
                             " files";
    return figure_of_value(name, "", total(counts).rate(), {}, note);
  };
  std::vector<Figure> rates;
  if (!scores.words.empty()) rates.push_back(rate("word error rate", scores.words));
  rates.push_back(rate("character error rate", scores.characters));
  return rates;
}

std::vector<std::string> normalizer_command() {
  return {peers_python(""), bench_script("normalize.py").string()};
}

TextNormalizer::TextNormalizer(std::vector<std::string> command) : process_(std::move(command)) {}

std::string TextNormalizer::operator()(const std::string& text, const std::string& language) {
  using nlohmann::json;
  const json question = {{"language", language}, {"text", text}};
  const std::string answer =
      process_.ask(question.dump(-1, ' ', true, json::error_handler_t::replace));
  const json parsed = json::parse(answer, nullptr, false);
  if (!parsed.is_object() || !parsed.value("text", json()).is_string()) {
    const bool has_words = parsed.is_object() && parsed.value("error", json()).is_string();
    throw std::runtime_error(process_.program() + ": " +
                             (has_words ? parsed["error"].get<std::string>()
                                        : "expected a text in JSON, found " + answer));
  }
  return parsed["text"];
}

}  // namespace wnpu::bench
