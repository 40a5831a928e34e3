#include "audio/mel/mel_source.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <doctest/doctest.h>
#include <sndfile.h>

#include "audio/read/error.h"
#include "models/base/error.h"
#include "tests/support/audio_files.h"
#include "tests/support/difference.h"
#include "tests/support/fetched_files.h"
#include "tests/support/mel_reference.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_data.h"
#include "tests/support/tolerances.h"

using namespace wnpu;
using namespace wnpu::tests;
using audio::MelSource;

namespace {

// Noise whose loudness goes up and down, as a file of `seconds` seconds.
std::string waves(int sample_rate, double seconds) {
  Sound sound{sample_rate, 1, {}};
  sound.samples = random_vector(static_cast<std::size_t>(seconds * sample_rate), 31, 0.9);
  for (std::size_t i = 0; i < sound.samples.size(); ++i) {
    sound.samples[i] *= static_cast<float>(std::pow(std::sin(static_cast<double>(i) * 1e-5), 4));
  }
  return encode(sound, SF_FORMAT_WAV | SF_FORMAT_PCM_16);
}

std::vector<float> values_of(const models::LogMel& window) {
  CHECK(window.values.cols() == 3000);
  return {window.values.flat().begin(), window.values.flat().end()};
}

std::vector<float> window_at(MelSource& source, std::size_t first_frame) {
  models::LogMel window;
  source.window(first_frame, window);
  return values_of(window);
}

std::vector<float> window_with_silence_at(MelSource& source, std::size_t first_frame) {
  models::LogMel window;
  source.window(first_frame, window, audio::MelSource::Padding::silence);
  return values_of(window);
}

}  // namespace

TEST_CASE(
    "mel_source: a window is the normalised log-mel of the whole file, zero beyond the audio") {
  // The loudest sound lies in the last, incomplete hop: in frames after the content, which count
  // for the maximum all the same (openai pads before its spectrogram).
  Sound sound{16000, 1, random_vector(160 * 50 + 150, 3, 0.01)};
  std::fill(sound.samples.end() - 50, sound.samples.end(), 0.9F);
  for (float& s : sound.samples) s = std::nearbyint(s * 0x1p15F) * 0x1p-15F;
  const TempFile file(encode(sound, SF_FORMAT_WAV | SF_FORMAT_FLOAT));
  MelSource source(file.input(), 80);
  CHECK(source.content_frames() == 50);
  CHECK(source.duration_s() == 8150.0 / 16000);
  std::vector<std::vector<double>> reference;
  double maximum = -10;
  for (std::size_t f = 0; f < 60; ++f) {
    reference.push_back(reference_log_mel(sound.samples, 80, f));
    maximum = std::max(maximum, *std::max_element(reference[f].begin(), reference[f].end()));
  }
  const auto found = window_at(source, 10);
  for (std::size_t m = 0; m < 80; ++m) {
    for (std::size_t f = 0; f < 40; ++f) {
      const double expected = (std::max(reference[10 + f][m], maximum - 8) + 4) / 4;
      REQUIRE(std::abs(static_cast<double>(found[m * 3000 + f]) - expected) <
              tolerance::kLogMelNoise);
    }
    for (std::size_t f = 40; f < 3000; ++f) REQUIRE(found[m * 3000 + f] == 0.0F);
  }
  models::LogMel with_silence;
  source.window(10, with_silence, audio::MelSource::Padding::silence);
  const auto floor = static_cast<float>((std::max(-10.0, maximum - 8) + 4) / 4);
  for (std::size_t m = 0; m < 80; ++m) {
    for (std::size_t f = 0; f < 50; ++f) {  // the audio is heard up to frame 51
      const double expected = (std::max(reference[10 + f][m], maximum - 8) + 4) / 4;
      REQUIRE(std::abs(static_cast<double>(with_silence.values.row(m)[f]) - expected) <
              tolerance::kLogMelNoise);
    }
    for (std::size_t f = 50; f < 3000; ++f)
      REQUIRE(std::abs(with_silence.values.row(m)[f] - floor) < 1e-6F);
  }
}

TEST_CASE("mel_source: a second pass gives the same bits as frames kept in memory") {
  for (const int rate : {16000, 11025}) {
    const TempFile file(waves(rate, 80));
    MelSource kept(file.input(), 80);
    MelSource streamed(file.input(), 80, {.budget_bytes = 1 << 20, .on_pcm = {}});
    CHECK(kept.content_frames() == 8000);
    CHECK(streamed.content_frames() == 8000);
    // Windows in any order: repeated, overlapping, at chunk borders, a jump, the end, beyond it,
    // and back.
    for (const std::size_t first : {0U, 0U, 511U, 512U, 1234U, 5000U, 7999U, 8000U, 9000U, 40U}) {
      CAPTURE(first);
      CHECK(window_at(kept, first) == window_at(streamed, first));
      CHECK(window_with_silence_at(kept, first) == window_with_silence_at(streamed, first));
    }
  }
}

TEST_CASE("mel_source: a file that shrinks between the passes is refused") {
  const TempFile file(waves(16000, 80));
  MelSource source(file.input(), 80, {.budget_bytes = 0, .on_pcm = {}});
  std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
  models::LogMel window;
  CHECK_NOTHROW(source.window(0, window));
  const std::string message = audio_error_of([&] { source.window(5000, window); });
  CHECK(message.find(file.path().string() + ": expected ") == 0);
}

TEST_CASE("mel_source: hands over every sample of the first pass, once") {
  const TempFile file(waves(8000, 40));
  std::vector<float> heard;
  audio::MelOptions options;
  options.budget_bytes = 0;
  options.on_pcm = [&heard](std::span<const float> samples) {
    CHECK(samples.size() <= 16000);
    heard.insert(heard.end(), samples.begin(), samples.end());
  };
  MelSource source(file.input(), 80, options);
  window_at(source, 1000);
  CHECK_FALSE(source.is_stopped());
  CHECK(heard == decode_all(file.input()).samples);
  CHECK(source.info().sample_rate == 8000);
  CHECK(source.timings().decode_s > 0);
  CHECK(source.timings().mel_s > 0);
}

TEST_CASE(
    "mel_source: can be stopped before there is any audio, in the first pass, in the second") {
  const TempFile file(waves(16000, 80));
  bool stops = true;
  std::size_t heard = 0;
  audio::MelOptions options;
  options.budget_bytes = 0;
  options.should_stop = [&stops] { return stops; };
  CHECK_THROWS_AS(MelSource(file.input(), 80, options), models::Stopped);
  stops = false;
  MelSource source(file.input(), 80, options);
  models::LogMel window;
  source.window(0, window);
  stops = true;
  CHECK_THROWS_AS(source.window(5000, window), models::Stopped);
  stops = false;
  options.on_pcm = [&](std::span<const float> samples) {
    heard += samples.size();
    stops = heard >= 50000;
  };
  const MelSource stopped(file.input(), 80, options);
  CHECK(stopped.is_stopped());
  CHECK(stopped.content_frames() < 8000);
}

TEST_CASE("mel_source: frames made in a thread beside the reading are the same, kept or not") {
  const TempFile file(waves(11025, 80));
  MelSource expected(file.input(), 80);
  for (const std::size_t budget_bytes : {std::size_t{64} << 20, std::size_t{1} << 20}) {
    CAPTURE(budget_bytes);
    audio::MelOptions options;
    options.budget_bytes = budget_bytes;
    options.beside = true;
    MelSource source(file.input(), 80, options);
    CHECK(source.content_frames() == expected.content_frames());
    CHECK(source.timings().mel_s > 0);
    for (const std::size_t first : {0U, 5000U, 7999U, 40U})
      CHECK(window_at(source, first) == window_at(expected, first));
  }
}

TEST_CASE("mel_source: two at once do not disturb each other") {
  const TempFile wav(waves(16000, 20));
  const TempFile flac(encode(sine(44100, 2, 700, 20), SF_FORMAT_FLAC | SF_FORMAT_PCM_16));
  const auto first_window = [](const TempFile& file) {
    MelSource source(file.input(), 80);
    models::LogMel window;
    source.window(0, window);
    return std::vector<float>(window.values.flat().begin(), window.values.flat().end());
  };
  const auto wav_alone = first_window(wav);
  const auto flac_alone = first_window(flac);
  std::vector<std::vector<float>> found(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] { found[i] = first_window(i % 2 == 0 ? wav : flac); });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == (i % 2 == 0 ? wav_alone : flac_alone));
  }
}

TEST_CASE("mel_source: no samples, no frames") {
  const TempFile file(encode({16000, 1, {}}, SF_FORMAT_WAV | SF_FORMAT_PCM_16));
  MelSource source(file.input(), 128);
  CHECK(source.content_frames() == 0);
  CHECK(source.duration_s() == 0);
  const auto found = window_at(source, 0);
  CHECK(std::all_of(found.begin(), found.end(), [](float v) { return v == 0.0F; }));
  const auto silence = window_with_silence_at(source, 0);
  CHECK(std::all_of(silence.begin(), silence.end(), [](float v) { return v == -1.5F; }));
}

TEST_CASE("mel_source: passes the reader's warnings on") {
  const std::string whole = waves(16000, 2);
  const TempFile file(whole.substr(0, whole.size() / 2));
  CHECK(MelSource(file.input(), 80).warnings().size() == 1);
}

TEST_CASE("mel_source: matches openai-whisper's first window of jfk") {
  const auto jfk = jfk_wav();
  if (!jfk) return;
  for (const std::size_t n_mels : {80UL, 128UL}) {
    models::LogMel window;
    MelSource({*jfk, {}}, n_mels).window(0, window);
    const auto golden = data_matrix("jfk/log_mel_" + std::to_string(n_mels) + ".npy");
    CHECK(max_abs_difference(every_column(window.values.view(), kEveryFrame).flat(),
                             golden.flat()) < tolerance::kLogMelGolden);
  }
}
