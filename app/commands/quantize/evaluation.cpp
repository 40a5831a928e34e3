#include "app/commands/quantize/evaluation.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "app/commands/quantize/greedy_transcripts.h"
#include "app/options/exit_code.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

double processor_s() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

// Reference text of a recording, from the text file beside it, if there is one.
std::optional<std::string> reference_of(const std::string& recording) {
  const std::filesystem::path path = std::filesystem::path(recording).replace_extension(".txt");
  std::error_code error;
  if (path == recording || !std::filesystem::exists(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad() || !file) {
    throw UsageError("quantize: --evaluate: expected a text that can be read, found " +
                     path.string());
  }
  if (models::is_utf16(text)) throw UsageError(path.string() + ": " + models::kWantsUtf8);
  return plain_words(text);
}

struct Heard {
  std::vector<std::string> texts;
  double audio_s = 0;
  Hearing hearing;  // words are counted later
};

Heard hear(const std::shared_ptr<const models::ModelFile>& model, models::Precision precision,
           const std::vector<std::string>& recordings, unsigned threads) {
  const auto loaded = std::make_shared<const LoadedModel>(model, precision, threads);
  Recognizer recognizer(loaded, threads);
  loaded->cpu_layers();
  Heard heard;
  const double cpu_start = processor_s();
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& recording : recordings) {
    const Transcript transcript = greedy_transcript(recognizer, recording);
    heard.texts.push_back(text_of_all(transcript));
    heard.audio_s += transcript.input.duration;
  }
  heard.hearing.cpu_s = processor_s() - cpu_start;
  heard.hearing.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return heard;
}

}  // namespace

Evaluation evaluate(const std::shared_ptr<const models::ModelFile>& before,
                    const std::shared_ptr<const models::ModelFile>& after,
                    models::Precision precision, const std::vector<std::string>& recordings,
                    unsigned threads) {
  std::vector<std::optional<std::string>> references;
  references.reserve(recordings.size());
  for (const std::string& recording : recordings) references.push_back(reference_of(recording));
  const Heard exact = hear(before, models::Precision::fp32, recordings, threads);
  const Heard rounded = hear(after, precision, recordings, threads);
  Evaluation result;
  result.n_recordings = recordings.size();
  result.precision = precision;
  result.audio_s = exact.audio_s;
  result.before = exact.hearing;
  result.after = rounded.hearing;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    result.n_same_text += exact.texts[i] == rounded.texts[i] ? 1 : 0;
    if (!references[i]) continue;
    ++result.n_references;
    result.before.words += count_word_errors(*references[i], plain_words(exact.texts[i]));
    result.after.words += count_word_errors(*references[i], plain_words(rounded.texts[i]));
  }
  return result;
}

}  // namespace wnpu::app
