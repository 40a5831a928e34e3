// Recordings made by a test: noise or a tone, as samples, bytes or a file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tests/support/random_matrix.h"

namespace wnpu::tests {

// 16 kHz, 16 bit, mono; header as in the RIFF WAVE specification. Samples of such a file come back
// as they are.
inline std::string wav_bytes(std::span<const float> samples) {
  std::string all;
  const auto put = [&all](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) all += static_cast<char>((value >> (8 * i)) & 0xFFU);
  };
  const auto bytes = static_cast<std::uint32_t>(2 * samples.size());
  all += "RIFF";
  put(36 + bytes, 4);
  all += "WAVEfmt ";
  put(16, 4);
  put(1, 2);
  put(1, 2);
  put(16000, 4);
  put(32000, 4);
  put(2, 2);
  put(16, 2);
  all += "data";
  put(bytes, 4);
  for (const float s : samples) {
    put(static_cast<std::uint32_t>(std::clamp(std::lround(s * 32768.0F), -32768L, 32767L)), 2);
  }
  return all;
}

inline void write_wav(const std::filesystem::path& path, std::span<const float> samples) {
  std::ofstream(path, std::ios::binary) << wav_bytes(samples);
}

inline std::string wav_of_tone(std::size_t seconds) {
  std::vector<float> samples(seconds * 16000);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] =
        static_cast<float>(std::lround(8000 * std::sin(0.2 * static_cast<double>(i)))) / 32768.0F;
  }
  return wav_bytes(samples);
}

// Noise whose loudness changes every half second, in so many steps, so that windows differ.
inline std::vector<float> uneven_noise(std::size_t n_samples, std::uint64_t seed,
                                       std::size_t n_steps = 7) {
  auto samples = random_vector(n_samples, seed, 0.3);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] *= static_cast<float>(i / 8000 % n_steps) / static_cast<float>(n_steps);
  }
  return samples;
}

}  // namespace wnpu::tests
