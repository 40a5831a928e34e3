#include "app/commands/quantize/evaluation.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "app/engine/audio_input.h"
#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/window_loop.h"
#include "app/options/exit_code.h"
#include "audio/read/error.h"
#include "models/base/utf8.h"
#include "models/quantize/input_sample.h"

namespace wnpu::app {
namespace {

// Rows sampled of each product. A layer's hidden rows of large-v3 are 20 KB each: 3 GB for all of
// that model.
constexpr std::size_t kMostRows = 2048;

// Without a second try: sampling hides small differences.
Transcript greedy_transcript(Recognizer& recognizer, const std::string& recording) {
  TranscribeOptions options;
  options.beam_size = 1;
  options.temperature_increment_on_fallback.reset();
  return transcribe_file(recognizer, options, input_of(Audio{.path = recording}));
}

// All that is said, with one space between words.
std::string text_of_all(const Transcript& transcript) {
  std::string text;
  for (const Segment& segment : transcript.segments) {
    std::istringstream words(segment.text);
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

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
  Accuracy hearing;  // words are counted later
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

models::ProductInputs inputs_on(const std::shared_ptr<const models::ModelFile>& model,
                                const std::vector<std::string>& recordings, unsigned threads) {
  std::map<std::string, std::unique_ptr<models::InputSample>> samples;
  const auto loaded = std::make_shared<LoadedModel>(model, models::Precision::fp32, threads);
  loaded->watch([&](const std::string& product) {
    return samples.emplace(product, std::make_unique<models::InputSample>(kMostRows))
        .first->second.get();
  });
  Recognizer recognizer(loaded, threads);
  for (const std::string& recording : recordings) {
    if (!text_of_all(greedy_transcript(recognizer, recording)).empty()) continue;
    throw audio::AudioError(recording + ": expected speech to calibrate with, found none");
  }
  models::ProductInputs inputs;
  for (const auto& [product, sample] : samples) inputs.emplace(product, sample->rows());
  return inputs;
}

}  // namespace wnpu::app
