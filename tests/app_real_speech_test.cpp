// The whole way with real weights, tiny.en and Silero: text at the borders of chunks, and what is
// heard where nobody speaks.
#include <cmath>
#include <fstream>
#include <numbers>

#include <doctest/doctest.h>

#include "app/transcriber.h"
#include "decoder/decoding_task.h"
#include "tests/random_matrix.h"
#include "tests/shared_data.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_en.h"
#include "tests/tolerances.h"
#include "tests/wav_file.h"
#include "tests/word_alignment.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr std::size_t kSampleRate = 16000;

std::optional<std::filesystem::path> silero(const std::filesystem::path& model) {
  auto path = model.parent_path() / "silero_vad/silero_vad_16k.safetensors";
  if (std::filesystem::exists(path)) return path;
  MESSAGE("SKIP: " << path << " is not there; app/quickstart.sh fetches it");
  return std::nullopt;
}

// manifest.tsv: file, duration, rate, channels, source, licence, reference, kind, language.
std::string reference_of(const std::filesystem::path& manifest, const std::string& file) {
  std::ifstream in(manifest);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string field;
    std::getline(fields, field, '\t');
    if (field != file) continue;
    for (int i = 0; i < 6; ++i) std::getline(fields, field, '\t');
    return field;
  }
  return "";
}

std::string text_of(const app::Transcript& transcript) {
  std::string text;
  for (const auto& segment : transcript.segments) text += segment.text;
  return text;
}

std::vector<float> chords(std::size_t n_seconds) {
  std::vector<float> samples(n_seconds * kSampleRate);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = static_cast<double>(i) / kSampleRate;
    const double root = 220.0 * std::exp2(std::floor(t * 2) * 7 / 12 - std::floor(t / 3) * 2);
    double sum = 0;
    for (const double ratio : {1.0, 1.26, 1.498, 2.0}) {
      sum += std::sin(2 * std::numbers::pi * std::min(root, 900.0) * ratio * t);
    }
    samples[i] = static_cast<float>(0.1 * sum * std::exp(-2 * std::fmod(t, 0.5)));
  }
  return samples;
}

}  // namespace

TEST_CASE("batched: no text of a long recording is lost or doubled at the borders of chunks") {
  const auto model = tests::tiny_en_dir();
  const auto recording = tests::shared_file("corpus/columbia.flac");
  if (!model || !recording) return;
  const auto vad = silero(*model);
  if (!vad) return;
  app::Recognizer recognizer(*model, 2);
  app::TranscribeOptions options;
  options.language = "en";
  options.beam_size = 1;
  options.batch_size = 8;
  options.vad.enabled = true;
  options.vad.weights = *vad;
  const auto found = app::Transcriber(recognizer, options).transcribe({*recording, {}}, {});
  const std::string reference =
      reference_of(recording->parent_path() / "manifest.tsv", recording->filename());
  const auto errors =
      tests::compare_words(tests::plain_words(reference), tests::plain_words(text_of(found)));
  CHECK(errors.longest_loss <= tests::tolerance::kWordsAstray);
  CHECK(errors.longest_extra <= tests::tolerance::kWordsAstray);
  CHECK(errors.total < tests::plain_words(reference).size() / 10);
  double last_end = 0;
  for (const auto& segment : found.segments) {
    CHECK(segment.start >= last_end - 1e-6);
    CHECK(segment.end >= segment.start);
    last_end = segment.end;
  }
  CHECK(last_end <= found.input.duration + 0.01);
}

TEST_CASE("no speech: silence, noise and chords give no loops, and with VAD no words at all") {
  const auto model = tests::tiny_en_dir();
  if (!model) return;
  const auto vad = silero(*model);
  if (!vad) return;
  tests::TemporaryFolder folder;
  const std::size_t n = 31;
  const std::vector<std::pair<std::string, std::vector<float>>> sounds = {
      {"silence.wav", std::vector<float>(n * kSampleRate)},
      {"noise.wav", tests::random_vector(n * kSampleRate, 11, 0.2)},
      {"chords.wav", chords(n)},
  };
  app::Recognizer recognizer(*model, 2);
  for (const auto& [name, samples] : sounds) {
    CAPTURE(name);
    tests::write_wav(folder.path() / name, samples);
    app::TranscribeOptions options;
    options.language = "en";
    options.beam_size = 1;
    options.best_of = 1;  // for the test's time
    const audio::Input input{folder.path() / name, {}};
    const std::string text = text_of(app::Transcriber(recognizer, options).transcribe(input, {}));
    CAPTURE(text);
    CHECK(decoder::compression_ratio(text) <= 2.4);
    CHECK(tests::plain_words(text).size() <= tests::tolerance::kWordsInvented);
    options.vad.enabled = true;
    options.vad.weights = *vad;
    CHECK(text_of(app::Transcriber(recognizer, options).transcribe(input, {})).empty());
  }
}
