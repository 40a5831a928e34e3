// A model that hears another language in each of two sounds.
#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_golden.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"

namespace wnpu::tests {

inline constexpr std::size_t kWindowSamples = std::size_t{30} * 16000;

enum class Sound { noise, square };

inline std::vector<float> window_of(Sound sound) {
  auto samples = random_vector(kWindowSamples, 0, 0.3);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (sound == Sound::square) samples[i] = i / 400 % 2 == 0 ? 0.0F : 0.3F;
  }
  return samples;
}

// A model of random weights that hears another language in each sound.
struct LanguageFixture {
  LanguageFixture() { options.language_detection_threshold = 1; }

  void hear(std::initializer_list<Sound> sounds) {
    samples.clear();
    for (const Sound sound : sounds) {
      const auto window = window_of(sound);
      samples.insert(samples.end(), window.begin(), window.end());
    }
  }
  Audio audio() const { return Audio::from_samples(samples); }
  Transcript run() { return session.transcribe(audio(), options); }
  Transcript of_window(std::size_t i) {
    TranscribeOptions one = options;
    one.clip_timestamps = {30.0 * static_cast<double>(i), 30.0 * static_cast<double>(i + 1)};
    one.language_detection_segments = 1;
    one.no_speech_threshold.reset();
    return session.transcribe(audio(), one);
  }

  TranscribeOptions options = single_try(1, 1, "");
  std::vector<float> samples;
  Session session = session_of(nano_golden_dir("nano128") / "ct2");
};

// A model of English alone, written to the folder.
inline Session english_session(const std::filesystem::path& folder) {
  NanoSpec spec;
  spec.dims.n_vocab = 51864;
  write(to_ctranslate2(make_nano_model(spec), Ct2Quantization::float16), folder / "english");
  return session_of(folder / "english");
}

inline bool has_warning(const Transcript& transcript, const std::string& part) {
  return std::ranges::any_of(transcript.warnings, [&](const std::string& warning) {
    return warning.find(part) != std::string::npos;
  });
}

}  // namespace wnpu::tests
